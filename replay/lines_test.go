package replay

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/session/jsonpath"
)

// laid writes lines as text: the sign, both sides, and why.
func laid(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%c %s | %s", " *+-~"[l.Kind], l.Was, l.Now)
		if l.Path != "" {
			fmt.Fprintf(&b, " @%s", l.Path)
		}
		if l.Why != "" {
			fmt.Fprintf(&b, " (%s)", l.Why)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func result(text string) *Response { return &Response{There: true, Body: []byte(text)} }

func TestAnswersStandBesideEachOther(t *testing.T) {
	m := Masks{Rules: []Rule{{Path: jsonpath.Path{{Name: "result"}, {Name: "noise"}}}}}
	was := result(`{"content":[{"type":"text","text":"{\"n\":3}"}],"took_ms":371,"noise":1,"list":[{"name":"a","v":1},{"name":"b"}],"gone":{"x":[]}}`)
	now := result(`{"content":[{"type":"text","text":"{\"n\":4}"}],"took_ms":352,"noise":2,"list":[{"name":"b"},{"name":"a","v":1}],"new":true}`)
	want := `  "result": { | "result": {
    "content": [ |   "content": [
      { |     {
        "type": "text", |       "type": "text",
        "text": JSON as text |       "text": JSON as text
          { |         {
*           "n": 3 |           "n": 4 @result.content[0].text.n
          } |         }
      } |     }
    ], |   ],
~   "took_ms": 371, |   "took_ms": 352, @result.took_ms (a time)
~   "noise": 1, |   "noise": 2, @result.noise (a rule says so)
    "list": [ |   "list": [
      { |     {
        "name": "a", |       "name": "a",
        "v": 1 |       "v": 1
      }, |     }
      { |     {
        "name": "b" |       "name": "b"
      } |     },
    ], |   ],
-   "gone": { |  @result.gone
-     "x": [] |  @result.gone
-   } |  @result.gone
+  |   "new": true @result.new
  } | }
`
	if got := laid(m.Lines(&Outcome{Method: "tools/call", Target: "x"}, was, now)); got != want {
		t.Errorf("now:\n%s\nwant:\n%s", got, want)
	}
}

// What counts in the comparison stands out beside each other, and nothing else.
func TestLinesShowWhatChanged(t *testing.T) {
	texts := []string{
		`{}`, `[]`, `{"a":1}`, `{"a":[1,2,{"b":"x"}]}`, `{"a":[1,3,{"b":"y"}],"c":null}`, `{"a":{"b":1}}`, `{"a":"[1]"}`, `{"a":"[2]"}`,
		`{"list":[{"name":"a"},{"name":"b"}]}`, `{"list":[{"name":"b"}]}`, `{"at":"2026-01-01T10:00:00Z"}`, `{"at":"2026-01-02T10:00:00Z"}`,
	}
	m := Masks{}
	for _, a := range texts {
		for _, b := range texts {
			was, now := result(a), result(b)
			want := map[string]bool{}
			for _, c := range m.changes(&Outcome{Method: "x"}, was, now) {
				want[c.Path] = true
			}
			got := map[string]bool{}
			for _, l := range m.Lines(&Outcome{Method: "x"}, was, now) {
				if l.Kind != LineSame && l.Kind != LineIgnored {
					got[l.Path] = true
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s and %s: lines show %v, changes are %v", a, b, got, want)
			}
			for p := range want {
				if !got[p] {
					t.Errorf("%s and %s: %s changed and no line shows it", a, b, p)
				}
			}
		}
	}
}

func TestLinesOfWhatIsNotThere(t *testing.T) {
	m := Masks{}
	got := laid(m.Lines(&Outcome{Method: "x"}, result(`{"a":1}`), &Response{There: true, None: "no response within 60s"}))
	if want := "* \"result\": { | (no response within 60s) @result\n*   \"a\": 1 |  @result\n* } |  @result\n"; got != want {
		t.Errorf("now:\n%s", got)
	}
	failed := &Response{There: true, Status: 500, Error: true, Body: []byte(`{"code":1}`)}
	ok := result(`true`)
	ok.Status = 200
	got = laid(m.Lines(&Outcome{Method: "x"}, ok, failed))
	if want := "* HTTP 200 | HTTP 500 @status\n- \"result\": true |  @result\n+  | \"error\": { @error\n+  |   \"code\": 1 @error\n+  | } @error\n"; got != want {
		t.Errorf("now:\n%s", got)
	}
}

// TestLongRecordingsAreCut: of a recording of many messages the first are read, and it is said;
// a number of an exchange takes no memory.
func TestLongRecordingsAreCut(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"midwire":1,"id":"x","started":"2026-01-01T00:00:00Z","tap":"http"}` + "\n")
	for i := range maxRows + 10 {
		fmt.Fprintf(&b, `{"n":%d,"t":1,"k":"request","d":">","c":1,"x":%d,"len":9,"text":"GET /mcp HTTP/1.1\r\nAccept: text/event-stream\r\n\r\n"}`+"\n",
			i+1, math.MaxUint32-uint32(i))
	}
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.tracker.Rows() > maxRows+1 || !s.Cut || len(s.Remarks) == 0 || len(s.exchanges) > maxRows+1 {
		t.Errorf("%d rows, %d exchanges, remarks %q", s.tracker.Rows(), len(s.exchanges), s.Remarks)
	}
}
