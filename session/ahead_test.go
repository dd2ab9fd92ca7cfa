package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "midwire/session"
	"midwire/session/outline"
)

// TestReadAhead: who reads the frames ahead of the tracker is told the same as who does
// not, whatever was read of the frame before into the same memory.
func TestReadAhead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := parseTranscript(t, string(text))
		var told [2][]string
		var outlines outline.Outlines
		var reads [3]Ahead
		for i := range told {
			tracker := New(Options{Tap: s.Tap, Watch: func(e *Event) {
				told[i] = append(told[i], fmt.Sprint(e.Kind, e.N, e.Row, e.Message.Kind, e.Batched, e.Modern,
					" ", string(e.Message.Raw), " ", string(e.Param("_meta")), " ", string(e.Param("name")), " ", string(e.Result("tools")), " ", outlineOf(e)))
			}})
			for n, f := range s.Frames {
				if read := &reads[n%len(reads)]; i == 0 {
					tracker.Apply(f)
				} else {
					read.Read(f, &outlines)
					tracker.ApplyAhead(f, read)
				}
			}
			told[i] = append(told[i], dump(s, tracker))
		}
		if !slices.Equal(told[0], told[1]) {
			t.Errorf("%s: frames that were read ahead tell\n%q, else\n%q", file, told[1], told[0])
		}
	}
}

// outlineOf is what the outline of a message is known by.
func outlineOf(e *Event) string {
	if e.Kind != EventMessage {
		return ""
	}
	if o := e.Outline(); o != nil {
		return fmt.Sprint(o.Hash, o.Twice)
	}
	return "none"
}
