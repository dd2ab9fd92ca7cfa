package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/session/describe"
	"midwire/session/wire"
)

// FuzzApply feeds the frames of a transcript in a mangled order, with kinds,
// exchanges and bytes changed. Whatever comes out must hold together, be the
// same twice, and be describable.
func FuzzApply(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), []byte{})
		f.Add(string(text), []byte("\x03\x01\x00\x07\x22\x05\x60\x09\x19\x01\xf0\x02"))
	}
	f.Fuzz(func(t *testing.T, text string, ops []byte) {
		s := fuzzFrames(text)
		mangle(s.Frames, ops)
		tr := s.apply()
		checkCounts(t, tr)
		first := dump(s, tr)
		if again := dump(s, s.apply()); again != first {
			t.Errorf("not deterministic:\n%s\n%s", first, again)
		}
		for i := range tr.Rows() {
			r := tr.Row(i)
			for _, f := range s.Frames[:min(len(s.Frames), 3)] {
				target, result := describe.Row(tr, r, f, f)
				if len(target) > describe.MaxRow || len(result) > describe.MaxRow {
					t.Errorf("row %d: words of %d and %d bytes", i, len(target), len(result))
				}
			}
		}
	})
}

// fuzzFrames reads what it can of a transcript.
func fuzzFrames(text string) *transcript {
	s := &transcript{}
	for line := range strings.Lines(text) {
		_ = s.Line(strings.TrimSuffix(line, "\n")) // what is no line of a transcript is left out
		if len(s.Frames) > 300 {
			break
		}
	}
	return s
}

// mangle applies operations of two bytes: what to do, and to which frame.
func mangle(frames []*wire.Frame, ops []byte) {
	if len(frames) == 0 {
		return
	}
	for ; len(ops) >= 2; ops = ops[2:] {
		i := int(ops[1]) % len(frames)
		f, n := frames[i], ops[0]>>4
		switch ops[0] & 15 {
		case 0:
			f.Kind = wire.Kind(n)
		case 1:
			f.X = uint32(n)
		case 2:
			f.Conn = uint32(n)
		case 3:
			f.Part = wire.Part(n % 3)
		case 4:
			f.Dir = f.Dir.Opposite()
		case 5:
			f.Dir = wire.NoDir
		case 6:
			f.Data = f.Data[:len(f.Data)*int(n)/16]
		case 7:
			j := (i + int(n)) % len(frames)
			frames[i].Data, frames[j].Data = frames[j].Data, frames[i].Data
		case 8:
			j := (i + int(n)) % len(frames)
			a, b := *frames[i], *frames[j]
			a.N, b.N, a.T, b.T = b.N, a.N, b.T, a.T
			*frames[i], *frames[j] = b, a
		case 9:
			f.Data = nil
		}
	}
}
