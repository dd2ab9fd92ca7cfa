package session_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	read "midwire/fixtures/transcript"
	. "midwire/session"
	"midwire/session/describe"
	"midwire/session/wire"
)

type transcript struct{ read.Transcript }

func parseTranscript(t testing.TB, text string) *transcript {
	s, err := read.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &transcript{*s}
}

func (s *transcript) http(conn, x int, line string) {
	if err := s.Line(fmt.Sprintf("%d.%d %s", conn, x, line)); err != nil {
		panic(err)
	}
}

func (s *transcript) apply() *Tracker {
	t := New(Options{Tap: s.Tap})
	for _, f := range s.Frames {
		t.Apply(f)
	}
	return t
}

func (s *transcript) frame(n uint32) *wire.Frame {
	if n == 0 || int(n) > len(s.Frames) {
		return nil
	}
	return s.Frames[n-1]
}

var (
	endingSigns = map[string]string{"": " ", "pending": "…", "ok": "✓", "error": "✗", "warn": "!", "cancelled": "~", "lost": "?"}
	kindNames   = [...]string{"call", "ntf", "resp", "noise", "stderr", "http", "proc", "tap"}
	markSigns   = [...]string{"○", "●", "✓", "✗", "-"}
)

// dump writes everything a tracker knows.
func dump(s *transcript, t *Tracker) string {
	var b bytes.Buffer
	for _, g := range t.Sessions() {
		fmt.Fprintf(&b, "session %d %s %s id=%q source=%s state=%s why=%q\n", g.Index, g.Transport, g.ProtocolVersion, g.ID, g.IDSource, g.State, g.Why)
		fmt.Fprintf(&b, "  client=%q server=%q endpoint=%q modern=%v probe=%v\n", describe.Peer(g.Client), describe.Peer(g.Server), g.Endpoint, g.Modern, g.Probe)
		fmt.Fprintf(&b, "  messages=%d calls=%d errors=%d pending=%d noise=%d from=%d to=%d\n", g.Messages, g.Calls, g.Errors, g.Pending, g.Noise, g.Started/1e6, g.Last/1e6)
		b.WriteString("  steps:")
		for _, st := range g.Steps {
			fmt.Fprintf(&b, " | %s %s", st.Name, markSigns[st.Mark])
			if st.Frame != 0 {
				fmt.Fprintf(&b, " #%d", st.Frame)
			}
			if st.Took != 0 {
				fmt.Fprintf(&b, " %dms", st.Took/1e6)
			}
			if st.Note != "" {
				b.WriteString(" " + st.Note)
			}
		}
		b.WriteByte('\n')
		for _, i := range g.Rows() {
			dumpRow(&b, s, t, int(i))
		}
		b.WriteByte('\n')
	}
	if len(t.Loose()) > 0 {
		b.WriteString("loose\n")
		for _, i := range t.Loose() {
			dumpRow(&b, s, t, int(i))
		}
	}
	return b.String()
}

func dumpRow(b *bytes.Buffer, s *transcript, t *Tracker, i int) {
	r := t.Row(i)
	d := "·"
	if r.Dir != 0 {
		d = string(rune(r.Dir))
	}
	fmt.Fprintf(b, "  %3d %3d %-6s %s %s %s", i, r.Request, kindNames[r.Kind], d, endingSigns[r.Ending.Word()], t.Name(r.Name))
	if id := t.Name(r.ID); id != "" {
		fmt.Fprintf(b, " id=%s", id)
	}
	target, result := describe.Row(t, r, s.frame(r.Request), s.frame(r.Response))
	fmt.Fprintf(b, " [%s → %s]", target, result)
	if r.Parent >= 0 {
		fmt.Fprintf(b, " parent=%d", r.Parent)
	}
	if r.Count > 0 {
		fmt.Fprintf(b, " count=%d", r.Count)
	}
	if r.Status > 0 {
		fmt.Fprintf(b, " status=%d", r.Status)
	}
	if r.Code != 0 {
		fmt.Fprintf(b, " code=%d", r.Code)
	}
	if r.Response != 0 {
		fmt.Fprintf(b, " resp=#%d", r.Response)
	}
	if r.End != 0 {
		fmt.Fprintf(b, " %dms", r.Latency()/1e6)
	}
	if r.Batch > 0 || r.RBatch > 0 {
		fmt.Fprintf(b, " batch=%d/%d", r.Batch, r.RBatch)
	}
	b.WriteByte('\n')
}

// TestTranscripts compares what the tracker makes of each testdata/*.txt with
// the .golden beside it. UPDATE=1 writes them again.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := parseTranscript(t, string(text))
			tr := s.apply()
			checkCounts(t, tr)
			got := dump(s, tr)
			if again := dump(s, s.apply()); again != got {
				t.Error("the same frames gave another result")
			}
			golden(t, strings.TrimSuffix(file, ".txt")+".golden", got)
		})
	}
}

// golden compares with a file; UPDATE=1 writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// checkCounts holds what must be true of any tracker: every row is in exactly
// one place, and the counters are those of the rows.
func checkCounts(t testing.TB, tr *Tracker) {
	seen := 0
	for _, g := range tr.Sessions() {
		calls, pending, last := 0, 0, -1
		for _, i := range g.Rows() {
			r := tr.Row(int(i))
			seen++
			if int(i) <= last || int(r.Session) != g.Index {
				t.Errorf("session %d: row %d out of place (says %d)", g.Index, i, r.Session)
			}
			last = int(i)
			if r.Kind == RowCall {
				calls++
				if r.Ending.Open() {
					pending++
				}
			}
			if int(r.Parent) >= tr.Rows() {
				t.Errorf("row %d: parent %d", i, r.Parent)
			}
		}
		if calls != g.Calls || pending != g.Pending {
			t.Errorf("session %d: calls %d pending %d, rows say %d %d", g.Index, g.Calls, g.Pending, calls, pending)
		}
	}
	for _, i := range tr.Loose() {
		seen++
		if s := tr.Row(int(i)).Session; s != -1 {
			t.Errorf("loose row %d says session %d", i, s)
		}
	}
	if seen != tr.Rows() {
		t.Errorf("%d rows, %d of them reachable", tr.Rows(), seen)
	}
}
