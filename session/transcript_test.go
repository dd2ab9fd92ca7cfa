package session

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"midwire/session/wire"
)

// A transcript is text, one line a frame or an exchange. Every line is one
// millisecond later than the one before; "wait MS" adds more.
//
//	tap stdio|http
//	start JSON | exit JSON | eof >|<
//	> LINE   < LINE   ! STDERR                     on stdio
//	1.2 > POST /mcp | Name: value || BODY          connection 1, exchange 2
//	1.2 < 200 application/json | Name: value || BODY      complete: closed by the server
//	1.2 < 200 text/event-stream                    then:
//	1.2 event id: 1 | data: {…}
//	1.2 close server|client|aborted
//	1 open JSON | 1 close
//	edit C.X JSON | note TEXT | gap JSON
type transcript struct {
	tap    string
	frames []*wire.Frame
	now    int64
}

func (s *transcript) add(f wire.Frame, data string) {
	f.N, f.T = uint64(len(s.frames)+1), s.now
	f.Data, f.Len = []byte(data), len(data)
	s.frames = append(s.frames, &f)
}

func parseTranscript(t testing.TB, text string) *transcript {
	s := &transcript{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		s.now += 1e6
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "tap":
			s.tap = rest
		case "wait":
			ms, _ := strconv.Atoi(rest)
			s.now += int64(ms) * 1e6
		case "start":
			s.add(wire.Frame{Kind: wire.KindStart, X: 1}, rest)
		case "exit":
			s.add(wire.Frame{Kind: wire.KindExit, X: 1}, rest)
		case "eof":
			s.add(wire.Frame{Kind: wire.KindClose, Dir: wire.Dir(rest[0]), X: 1}, `{"by":"client","clean":true}`)
		case ">", "<":
			s.add(wire.Frame{Kind: wire.KindLine, Dir: wire.Dir(word[0]), X: 1, EOL: "\n"}, rest)
		case "!":
			s.add(wire.Frame{Kind: wire.KindStderr, Dir: wire.ToClient, X: 1, EOL: "\n"}, rest)
		case "note":
			s.add(wire.Frame{Kind: wire.KindNote}, `{"text":"`+rest+`"}`)
		case "gap":
			s.add(wire.Frame{Kind: wire.KindGap}, rest)
		case "edit":
			where, what, _ := strings.Cut(rest, " ")
			c, x := place(where)
			s.add(wire.Frame{Kind: wire.KindEdit, Conn: c, X: x, Dir: wire.ToServer}, what)
		default:
			c, x := place(word)
			if c == 0 {
				t.Fatalf("not a transcript line: %s", line)
			}
			s.http(c, x, rest)
		}
	}
	return s
}

func place(s string) (conn, x uint32) {
	a, b, _ := strings.Cut(s, ".")
	c, _ := strconv.Atoi(a)
	e, _ := strconv.Atoi(b)
	return uint32(c), uint32(e)
}

func (s *transcript) http(conn, x uint32, line string) {
	word, rest, _ := strings.Cut(line, " ")
	f := wire.Frame{Conn: conn, X: x}
	head, body, hasBody := strings.Cut(rest, "||")
	head, body = strings.TrimSpace(head), strings.TrimSpace(body)
	parts := strings.Split(head, " | ")
	fields := ""
	for _, p := range parts[1:] {
		fields += p + "\r\n"
	}
	switch word {
	case ">":
		if hasBody {
			fields += "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
		}
		f.Kind, f.Dir = wire.KindRequest, wire.ToServer
		s.add(f, parts[0]+" HTTP/1.1\r\n"+fields+"\r\n")
		if hasBody {
			f.Kind = wire.KindBody
			s.add(f, body)
		}
	case "<":
		f.Kind, f.Dir = wire.KindResponse, wire.ToClient
		status, media, _ := strings.Cut(parts[0], " ")
		if media != "" {
			fields = "Content-Type: " + media + "\r\n" + fields
		}
		s.add(f, "HTTP/1.1 "+status+" X\r\n"+fields+"\r\n")
		if hasBody && body != "" {
			f.Kind = wire.KindBody
			s.add(f, body)
		}
		if hasBody {
			f.Kind = wire.KindClose
			s.add(f, `{"by":"server","clean":true}`)
		}
	case "event":
		f.Kind, f.Dir = wire.KindEvent, wire.ToClient
		s.add(f, strings.Join(strings.Split(rest, " | "), "\n")+"\n\n")
	case "open":
		f.Kind = wire.KindOpen
		s.add(f, rest)
	case "close":
		by, clean := rest, "true"
		if rest == "aborted" {
			by, clean = "server", "false"
		}
		f.Kind = wire.KindClose
		if x != 0 {
			f.Dir = wire.ToClient
		}
		s.add(f, `{"by":"`+by+`","clean":`+clean+`}`)
	}
}

func (s *transcript) apply() *Tracker {
	t := New(Options{Tap: s.tap})
	for _, f := range s.frames {
		t.Apply(f)
	}
	return t
}

func (s *transcript) frame(n uint32) *wire.Frame {
	if n == 0 || int(n) > len(s.frames) {
		return nil
	}
	return s.frames[n-1]
}

var (
	verdictSigns = [...]string{" ", "…", "✓", "✗", "!", "~", "?"}
	kindNames    = [...]string{"call", "ntf", "resp", "noise", "stderr", "http", "proc", "tap"}
	markSigns    = [...]string{"○", "●", "✓", "✗", "-"}
)

// dump writes everything a tracker knows.
func dump(s *transcript, t *Tracker) string {
	var b bytes.Buffer
	for _, g := range t.Sessions() {
		fmt.Fprintf(&b, "session %d %s %s id=%q source=%s state=%s why=%q\n", g.Index, g.Transport, g.Revision, g.ID, g.IDSource, g.State, g.Why)
		fmt.Fprintf(&b, "  client=%q server=%q endpoint=%q modern=%v probe=%v\n", peerWords(g.Client), peerWords(g.Server), g.Endpoint, g.Modern, g.Probe)
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
	fmt.Fprintf(b, "  %3d %3d %-6s %s %s %s", i, r.Request, kindNames[r.Kind], d, verdictSigns[r.Verdict], t.Name(r.Name))
	if id := t.Name(r.ID); id != "" {
		fmt.Fprintf(b, " id=%s", id)
	}
	target, result := t.Words(r, s.frame(r.Request), s.frame(r.Response))
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
// the .golden beside it. UPDATE=1 writes them anew.
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
			golden := strings.TrimSuffix(file, ".txt") + ".golden"
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
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
				if r.Verdict == VerdictPending {
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
