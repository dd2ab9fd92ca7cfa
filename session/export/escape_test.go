package export

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"midwire/session"
	"midwire/session/wire"
)

var mermaidWord = regexp.MustCompile(`^([\pL\pN\pM .,_/()=!?'*"\[\]{}…→←✓✗·×-]|#\d+;)*$`)

func FuzzMermaid(f *testing.F) {
	f.Add(poison)
	f.Add("wrap: a;b#c%%{init}%%\n<b>&amp;</b>$$x$$ style: #35;")
	f.Fuzz(func(t *testing.T, text string) {
		if got := mermaidSafe(text); !mermaidWord.MatchString(got) || !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
	})
}

// unquote reads a shell word as POSIX says; only what is within quotes, \' and
// a printf may be there.
func FuzzShellQuote(f *testing.F) {
	f.Add("it's")
	f.Add(`'; rm -rf / #`)
	f.Add("$(x) `y` \\ \x00\n%s")
	f.Fuzz(func(t *testing.T, text string) {
		got := shellQuote(text)
		back := ""
		for rest := got; rest != ""; {
			switch {
			case strings.HasPrefix(rest, `\'`):
				back, rest = back+"'", rest[2:]
			case rest[0] == '\'':
				inside, after, ok := strings.Cut(rest[1:], "'")
				if !ok {
					t.Fatalf("%q is open", got)
				}
				back, rest = back+inside, after
			default:
				t.Fatalf("%q has %q outside of quotes", got, rest)
			}
		}
		if back != text {
			t.Errorf("%q means %q, want %q", got, back, text)
		}
		if p := shellPrint(text); strings.ContainsFunc(p, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q", p)
		}
	})
}

// A real shell makes of a script what was meant.
func TestShellUnderstands(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Logf("no shell: %v", err)
		return
	}
	for _, text := range []string{"plain", "it's", poison, `%s \n $HOME "x" 'y'`, "-n", "日本\u202e", "tail\n"} {
		out, err := exec.Command(sh, "-c", shellPrint(text)).Output()
		if err != nil || string(out) != text {
			t.Errorf("printed %q, want %q: %v", out, text, err)
		}
		out, err = exec.Command(sh, "-c", "printf %s "+shellWord(text)).Output()
		if want := strings.TrimRight(strings.ReplaceAll(text, "\x00", ""), "\n"); err != nil || string(out) != want {
			t.Errorf("a word of %q, want %q: %v", out, want, err)
		}
	}
	check := exec.Command(sh, "-n")
	check.Stdin = strings.NewReader(written(t, hostile()["http"], "curl"))
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestNames(t *testing.T) {
	var n Names
	n.Watch(&wire.Frame{Kind: wire.KindRequest, Data: []byte("GET / HTTP/1.1\r\nmcp-session-id: stranger-0001\r\n\r\n")})
	n.Finish([]*session.Session{{Index: 0, ID: `a/b"c+d=e`}, {Index: 1, ID: "42"}, {Index: 2, ID: "/messages/?session_id=deadbeef00"}, {Index: 3, ID: `a/b"c+d=e2`}})
	for text, want := range map[string]string{
		`id a/b"c+d=e.`:                    "id session-1.",
		`{"x":"a\/b"}`:                     `{"x":"a\/b"}`,
		`{"x":"a/b\"c+d=e"}`:               `{"x":"session-1"}`,
		`a/b"c+d=e2`:                       "session-4",
		"/x?s=a%2Fb%22c%2Bd%3De&y":         "/x?s=session-1&y",
		`{"id":42,"n":"42"}`:               `{"id":42,"n":"42"}`,
		"/m?sessionId=42&a":                "/m?sessionId=session-2&a",
		"42":                               "session-2",
		"/messages/?session_id=deadbeef00": "/messages/?session_id=session-3",
		"stranger-0001":                    "unknown-session-1",
	} {
		if got := n.Text(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	f := wire.Frame{Kind: wire.KindResponse, Data: []byte("HTTP/1.1 200 OK\r\nMCP-SESSION-ID:42\r\nAge: 42\r\n\r\n")}
	n.Frame(&f)
	if string(f.Data) != "HTTP/1.1 200 OK\r\nMCP-SESSION-ID: session-2\r\nAge: 42\r\n\r\n" || !f.Masked {
		t.Errorf("%q", f.Data)
	}
	var none Names
	if none.Text("stranger-0001") != "stranger-0001" {
		t.Error("names that were not finished change texts")
	}
}
