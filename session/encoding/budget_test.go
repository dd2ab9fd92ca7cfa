package encoding

import (
	"bytes"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// compress is Encode with the encoders that make bombs.
func compress(t *testing.T, name string, plain []byte) []byte {
	var out bytes.Buffer
	var w io.WriteCloser
	switch name {
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		w, _ = zstd.NewWriter(&out)
	default:
		return Parse(name).Encode(plain)
	}
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Many small bombs are not unfolded one by one: what is unfolded in all stays
// near what was compressed, and so does the work. Honest bodies are read again
// when there were as many of them as pay for what was refused.
func TestBudget(t *testing.T) {
	for _, name := range []string{"gzip", "deflate", "br", "zstd"} {
		c := Parse(name)
		bomb := compress(t, name, make([]byte, 4<<20))
		var b Budget
		read, decoded, refused := 0, 0, 0
		for range 100 {
			plain, ok := b.Decode(c, bomb)
			if ok {
				read++
				decoded += len(plain)
			}
			if b.Refused() {
				refused++
			}
		}
		if most := freeBytes + freeRatio*100*len(bomb); decoded > most || read < 10 || read > 60 || read+refused != 100 {
			t.Errorf("%s: %d of 100 bombs read, %d refused, %d bytes unfolded; at most %d", name, read, refused, decoded, most)
		}
		if most := freeBytes + freeRatio*b.in + c.minimum() + 1; b.out > most {
			t.Errorf("%s: worth %d bytes of work; at most %d", name, b.out, most)
		}
		honest := bytes.Repeat([]byte(`{"note":"the release is on Friday"},`), 3)
		small := compress(t, name, honest)
		enough := int(c.minimum())/len(small)/freeRatio + 2
		for range enough {
			_, _ = b.Decode(c, small)
		}
		if plain, ok := b.Decode(c, small); !ok || !bytes.Equal(plain, honest) {
			t.Errorf("%s: an honest body after %d others: %v, %d bytes", name, enough, ok, len(plain))
		}
	}
}

// What codings unfold to that lie over one another counts, whatever is left at
// the end.
func TestBudgetOfLayers(t *testing.T) {
	c := Gzip.Join(Gzip)
	bomb := Gzip.Encode(Gzip.Encode(make([]byte, 32<<20))[:100])
	empty := Gzip.Encode(make([]byte, 8<<20)) // the inner one is not gzip
	for _, data := range [][]byte{bomb, empty} {
		var b Budget
		for range 100 {
			_, _ = b.Decode(c, data)
		}
		if most := freeBytes + freeRatio*b.in + c.minimum() + 1; b.out > most || int64(len(data))*100 != b.in {
			t.Errorf("worth %d bytes of work, at most %d", b.out, most)
		}
	}
	var b Budget
	plain := []byte("twice")
	if got, ok := b.Decode(c, c.Encode(plain)); !ok || !bytes.Equal(got, plain) {
		t.Errorf("%v, %q", ok, got)
	}
}

// A body that is read piece by piece is decoded again each time, and counted
// once.
func TestBudgetOfPieces(t *testing.T) {
	plain := bytes.Repeat([]byte("0123456789abcdef"), 1<<10)
	packed := Gzip.Encode(plain)
	var b Budget
	var all []byte
	for n := range packed {
		out, _ := b.Resume(Gzip, packed[:n+1], 1, len(all))
		all = append(all, out...)
	}
	if given := len(all); !bytes.Equal(all, plain) || b.out != int64(len(plain)) || b.in != int64(len(packed)) {
		t.Errorf("given %d of %d, counted %d from %d", given, len(plain), b.out, b.in)
	}
}
