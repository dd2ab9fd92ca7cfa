package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"midwire/session/wire"
)

// What came from the wire is text in the report, and the report needs nothing
// from elsewhere.
func TestHTMLHoldsItsOwn(t *testing.T) {
	const evil = `</pre></title></text></svg><script>alert(1)</script><img src=x onerror=alert(1)>"'{{.}}`
	var tp tape
	in, _ := json.Marshal(evil)
	tp.line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":`+string(in)+`,"params":{"name":`+string(in)+`}}`)
	tp.line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":`+string(in)+`}}`)
	tp.stderr(evil)
	s := source("stdio", tp.frames)
	s.Label, s.Trouble, s.Command = evil, evil, []string{evil}
	for name, s := range map[string]*Source{"evil": s, "poison": hostile()["http"], "plain": sources()["http"]} {
		page := written(t, s, "html")
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		scripts := 0
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			switch n.Data {
			case "script":
				scripts++
			case "img", "iframe", "object", "embed", "link", "base", "form":
				t.Errorf("%s: a %s element", name, n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "style" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("%s: %s=%q in %s", name, a.Key, a.Val, n.Data)
				}
			}
		}
		if scripts != 1 || strings.Count(page, reportScript) != 1 {
			t.Errorf("%s: %d scripts", name, scripts)
		}
		balanced(t, name, page)
	}
}

// balanced checks that every element is closed in its order.
func balanced(t *testing.T, name, page string) {
	t.Helper()
	var open []string
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%s: open at the end: %v", name, open)
			}
			return
		case html.StartTagToken:
			tag, _ := z.TagName()
			if !slices.Contains([]string{"meta", "input"}, string(tag)) {
				open = append(open, string(tag))
			}
		case html.EndTagToken:
			tag, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(tag) {
				t.Fatalf("%s: </%s> within %v", name, tag, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// A large recording makes a report of bounded size that says what it lacks.
func TestLargeReport(t *testing.T) {
	var tp tape
	for i := range 3000 {
		tp.line(wire.ToServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"n%d","pad":%q}}`, i, i, strings.Repeat("x", 20_000)))
	}
	s := source("stdio", tp.frames)
	page := written(t, s, "html")
	if len(page) > 16<<20 {
		t.Errorf("%d bytes", len(page))
	}
	for _, want := range []string{"2000 rows left out", "left out to limit the size of the report", "bytes more", "n2999"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if text := written(t, s, "mermaid"); len(text) > 50_000 || !strings.Contains(text, "2840 more rows left out") {
		t.Errorf("mermaid of %d bytes", len(text))
	}
}
