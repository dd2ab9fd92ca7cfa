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
	"midwire/session/wire"
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

// TestPrintFallsBehind: traffic faster than lines are for is left out and counted; sessions
// keep their numbers, and a response is not shown whose request was passed over.
func TestPrintFallsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w, err := record.Create(dir, record.Header{ID: "fast", Started: time.Now(), Tap: "http"}, record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		source, err := record.NewWatch(dir, time.Time{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer source.Close()
		frames, x := 0, uint32(0)
		at := func(k wire.Kind, d wire.Dir, x uint32, data string) {
			frames++
			w.Append(&wire.Frame{Kind: k, Dir: d, Conn: 1, X: x, T: time.Now().UnixNano(), Data: []byte(data)})
		}
		ask := func(body string) uint32 {
			x++
			at(wire.KindRequest, '>', x, "POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nMcp-Session-Id: one\r\n\r\n")
			at(wire.KindBody, '>', x, body)
			return x
		}
		respond := func(x uint32, body string) {
			at(wire.KindResponse, '<', x, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: one\r\n\r\n")
			at(wire.KindBody, '<', x, body)
			at(wire.KindClose, 0, x, `{"by":"server","clean":true}`)
		}
		call := func(i int) {
			respond(ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d"}}`, i, i)), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i))
		}
		var out strings.Builder
		if err := PrintWhile(t.Context(), &out, source, func(context.Context) error {
			for i := range 4_000 {
				call(i)
			}
			w.Flush()
			time.Sleep(500 * time.Millisecond)
			late := ask(`{"jsonrpc":"2.0","id":"late","method":"tools/call","params":{"name":"late"}}`)
			for i := range 20_000 {
				call(i)
			}
			respond(late, `{"jsonrpc":"2.0","id":"late","result":{"content":[]}}`)
			call(30_000)
			w.Flush()
			time.Sleep(2 * time.Second)
			w.Close()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		missed := 0
		for line := range strings.Lines(out.String()) {
			n := 0
			fmt.Sscanf(line, "… %d frames not shown", &n)
			missed += n
			if !strings.HasPrefix(line, "…") && !strings.Contains(line, "  a1  ") {
				t.Fatalf("another session in %q", line)
			}
		}
		// How much is read at once depends on the machine, and with it what is left out of the
		// first calls, but not that so many lines are shown before anything is.
		if missed < 90_000 || strings.Count(out.String(), "\n") < linesAtOnce {
			t.Errorf("%d of %d frames were passed over; %d lines", missed, frames, strings.Count(out.String(), "\n"))
		}
		if end := out.String()[out.Len()-300:]; !strings.Contains(end, "t30000") || strings.Contains(out.String(), "late") {
			t.Errorf("the end is %q", end)
		}
	})
}
