package library

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/record"
)

func TestPrint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := tap(t, dir, "a", 2)
		source, err := record.NewWatch(dir, time.Time{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer source.Close()
		var out strings.Builder
		want := errors.New("played")
		err = PrintWhile(t.Context(), &out, source, func(context.Context) error {
			time.Sleep(time.Second) // of the bubble
			line(a, `<{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
			a.Flush()
			b := tap(t, dir, "b", 1)
			time.Sleep(time.Second)
			for i := range 30_000 {
				line(b, fmt.Sprintf(`>{"jsonrpc":"2.0","method":"last/%d"}`, i))
			}
			b.Close()
			return want
		})
		if !errors.Is(err, want) {
			t.Error(err)
		}
		got := out.String()
		for _, want := range []string{
			"  a1  ← ✓ initialize             desk 2 → notes 1, 2025-06-18", "  a1  →   tools/call             tool2\n",
			"  a1  ← ✓ tools/call             tool2 →", "  b1  →   tools/call             tool1\n", "last/0\n", "last/29999\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%.3000s", want, got)
			}
		}
		if n := strings.Count(got, "last/"); n != 30_000 {
			t.Errorf("%d of 30000 lines", n)
		}
	})
}

// Whoever should read the lines has stopped reading: that holds nobody up.
func TestPrintToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		tap(t, dir, "a", 2)
		source, err := record.NewWatch(dir, time.Time{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer source.Close()
		stuck := make(chan bool)
		begin := time.Now()
		err = PrintWhile(t.Context(), stuckWriter(stuck), source, func(context.Context) error { return nil })
		if took := time.Since(begin); err != nil || took != lastWords {
			t.Errorf("%v after %v", err, took)
		}
		close(stuck)
	})
}

// stuckWriter takes nothing until the channel is closed.
type stuckWriter chan bool

func (w stuckWriter) Write(b []byte) (int, error) {
	<-w
	return len(b), nil
}

func TestLetters(t *testing.T) {
	seen := map[string]bool{}
	for i := range 2000 {
		if seen[letters(i)] {
			t.Fatalf("%s twice", letters(i))
		}
		seen[letters(i)] = true
	}
	if got := letters(0) + letters(25) + letters(26) + letters(701) + letters(702); got != "azaazzaaa" {
		t.Error(got)
	}
}
