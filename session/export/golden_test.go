package export

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"midwire/session/wire"
)

// golden compares a text with a file of testdata. UPDATE=1 writes it again.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

func begun() time.Time { return time.Date(2026, 11, 21, 10, 15, 0, 0, time.UTC) }

// listing is every kind of entry: with sessions and without, live, broken.
func listing(stdio, http *tape) []Listed {
	all := List(Recording{ID: "20261121-101500-abcdef", Label: "notes.js", Tap: "stdio", Started: begun(), Live: true}, stdio.tracker().Sessions())
	all = append(all, List(Recording{ID: "20261121-101600-abcdef", Label: "localhost:3000", Tap: "http", Started: begun().Add(time.Minute)}, http.tracker().Sessions())...)
	all = append(all, List(Recording{ID: "empty", Label: "空の録画", Tap: "http", Started: begun()}, new(tape).tracker().Sessions())...)
	return append(all, List(Recording{ID: "broken", Started: begun(), Trouble: "not a midwire recording", Unreadable: true}, nil)...)
}

func TestGolden(t *testing.T) {
	tapes := map[string]*tape{"stdio": overStdio(), "http": overHTTP()}
	for name, tape := range tapes {
		golden(t, "lines-"+name+".txt", strings.Join(tape.printed(), "\n")+"\n")
		golden(t, "show-"+name+".txt", tape.shown())
		golden(t, "raw-"+name+".txt", tape.raw())
	}
	all := listing(tapes["stdio"], tapes["http"])
	golden(t, "table.txt", Table(all, time.UTC))
	text, err := JSON(all)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "list.json", text)
}

func TestJSONOfNone(t *testing.T) {
	for _, none := range [][]Listed{nil, {}} {
		if got, err := JSON(none); got != "[]\n" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// What JSON escapes for the sake of terminals means the same as before.
func TestJSONMeansTheSame(t *testing.T) {
	id := poison + "é e\u0301 日本 😀 \U000e0041\u202e\u009b\x7f"
	text, err := JSON([]Listed{{ID: &id}})
	if err != nil {
		t.Fatal(err)
	}
	var back []Listed
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if want := strings.ToValidUTF8(strings.ReplaceAll(id, "\xff\x9b", "\ufffd\ufffd"), "?"); *back[0].ID != want {
		t.Errorf("%+q\n%+q", *back[0].ID, want)
	}
	if !strings.Contains(text, "日本 😀") {
		t.Errorf("readable text was escaped: %s", text)
	}
}

// Pieces stop when nobody wants more.
func TestYieldStops(t *testing.T) {
	tape := overStdio()
	for most := 1; most < 6; most++ {
		count := 0
		stop := func(string) bool { count++; return count < most }
		Show(tape.tracker(), tape.load, stop)
		if count != most {
			t.Errorf("Show went on after %d pieces: %d", most, count)
		}
		count = 0
		Raw(func(yield func(*wire.Frame) bool) {
			for i := range tape.frames {
				if !yield(&tape.frames[i]) {
					return
				}
			}
		}, stop)
		if count != most {
			t.Errorf("Raw went on after %d pieces: %d", most, count)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0ms", 400 * time.Microsecond: "0.4ms", 41 * time.Millisecond: "41ms", 1900 * time.Millisecond: "1.9s", 125 * time.Second: "2m5s",
	} {
		if got := Duration(int64(d)); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
