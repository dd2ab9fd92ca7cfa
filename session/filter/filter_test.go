package filter

import (
	"strings"
	"testing"
)

func TestParseReadsWhatIsMeant(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"a b", "a b"},
		{"a and b", "a b"},
		{"a or b c", "a or b c"},
		{"(a or b) c", "(a or b) c"},
		{"a OR not (b c)", "a or !(b c)"},
		{"!a -b not c", "!a !b !c"},
		{"!!a", "!!a"},
		{"status!=200", "!status=200"},
		{`"two words"`, `"two words"`},
		{`'a "quoted" word'`, `'a "quoted" word'`},
		{`method:"a b"`, `method:"a b"`},
		{`jq:'.id == "x"'`, `jq:'.id == "x"'`},
		{"~a(b|c)d", `~"a(b|c)d"`},
		{"/a b/", `~"a b"`},
		{`/a\/b/ c`, `~"a\/b" c`},
		{"/mcp", `"/mcp"`},
		{"/a/b/c", `"/a/b/c"`},
		{"tool~^get_", "tool~^get_"},
		{"file:///src", `"file:///src"`},
		{"http://localhost:3000/mcp", `"http://localhost:3000/mcp"`},
		{"a=b", `"a=b"`},
		{"don't", `"don't"`},
		{"@scope/pkg", `"@scope/pkg"`},
		{"f(x) (g(y))", `"f(x)" "g(y)"`},
		{"severity:errors kind:notif", "severity:errors kind:notif"},
		{"- a", `"-" a`},
	} {
		n, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := n.String(); got != tt.want {
			t.Errorf("%s is read as %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestErrorsPointAtTheFault(t *testing.T) {
	for _, tt := range []struct {
		text string
		at   int
		says string
		more bool
		fix  string
	}{
		{"foo:bar", 0, "no such key", false, ""},
		{"is:ok metod:x", 6, "did you mean method:", false, "method:x"},
		{"method:x lat>500", 13, "needs a unit: lat>500ms", false, "lat>500ms"},
		{"after>10", 6, "needs a unit: after>10s", false, "after>10s"},
		{"is:errror", 3, "did you mean is:error", false, "is:error"},
		{"is:err", 3, "is: error pending", true, ""},
		{"is:err tool:x", 3, "is: error pending", false, ""},
		{"is:", 3, "is: error pending", true, ""},
		{"is: a", 3, "is: error pending", false, ""},
		{"dir:up", 4, "c2s s2c", false, ""},
		{"status:ok", 7, "needs a status", false, ""},
		{"size>big", 5, "needs a size", false, ""},
		{"method>x", 7, "takes a colon: method:x", false, "method:x"},
		{"lat~x", 4, "no regular expression", false, ""},
		{`a "open`, 2, "not closed", true, ""},
		{"a not", 5, "must follow not", true, ""},
		{"a (b or", 7, "must follow or", true, ""},
		{"a (b", 2, "not closed", true, ""},
		{"a) b", 1, "no parenthesis", false, ""},
		{"or a", 0, "before or", false, ""},
		{"()", 1, "the parentheses are empty", false, ""},
		{"x tool~a(b", 7, "missing closing )", false, ""},
		{"jq:'.a | | .b'", 9, "not a jq", false, ""},
		{"jq:'nope(1)'", 4, "not a jq", false, ""},
		{`""`, 0, "search text is empty", false, ""},
	} {
		_, err := Parse(tt.text)
		if err == nil {
			t.Errorf("%q is accepted", tt.text)
			continue
		}
		if err.At != tt.at || err.More != tt.more || err.Fix != tt.fix || !strings.Contains(err.Text, tt.says) {
			t.Errorf("%q: at %d, %q, more %v, fix %q", tt.text, err.At, err.Text, err.More, err.Fix)
		}
		if err.Fix == "" {
			continue
		}
		fixed := tt.text[:err.From] + err.Fix + tt.text[err.To:]
		if _, err := Parse(fixed); err != nil {
			t.Errorf("the correction %q is wrong: %v", fixed, err)
		}
	}
}

// TestWhatStandsAlready: while the end is missing, the rest holds.
func TestWhatStandsAlready(t *testing.T) {
	for text, want := range map[string]string{
		"tool:x is:": "tool:x", "a or": "a", "a (b or": "a b", "(a or b": "a or b", "a not": "a", `a "b c`: `a "b c"`, "is:": "", `a "`: "a", `a jq:'.x`: "a",
	} {
		n, err := Parse(text)
		if err == nil || !err.More || n.String() != want {
			t.Errorf("%q stands for %q, %v", text, n, err)
		}
	}
}

func TestValues(t *testing.T) {
	for _, tt := range []struct {
		text      string
		low, high int64
	}{
		{"lat>1.5s", 15e8, 15e8},
		{"size>1k", 1024, 1024},
		{"size>1KiB", 1024, 1024},
		{"size>1.5MB", 3 << 19, 3 << 19},
		{"status:4xx", 400, 499},
		{"status>=400", 400, 400},
		{"code:-32602", -32602, -32602},
		{"flow:#12", 12, 12},
		{"after:10s", 1e10, 1e10},
		{"after:#7", 7, 7},
		{"time>00:01", 60e9, 120e9 - 1},
		{"before:00:00:01.5", 15e8, 15e8},
	} {
		n, err := Parse(tt.text)
		if err != nil || n.Low != tt.low || n.High != tt.high {
			t.Errorf("%s: %+v %v", tt.text, n, err)
		}
	}
}

func TestAtFindsTheWord(t *testing.T) {
	for _, tt := range []struct {
		text string // | is the cursor
		want Spot
	}{
		{"|", Spot{}},
		{"me|", Spot{From: 0, To: 2, Value: "me"}},
		{"a !method:to|ols b", Spot{From: 3, To: 15, Key: "method", Op: ":", Value: "to"}},
		{"(tool:|)", Spot{From: 1, To: 6, Key: "tool", Op: ":"}},
		{`x tool:"a b|`, Spot{From: 2, To: 11, Key: "tool", Op: ":", Value: "a b"}},
		{"a |", Spot{From: 2, To: 2}},
		{"-t|", Spot{From: 1, To: 2, Value: "t"}},
	} {
		cursor := strings.IndexByte(tt.text, '|')
		text := tt.text[:cursor] + tt.text[cursor+1:]
		if got := messages.WordAt(text, cursor); got != tt.want {
			t.Errorf("%q: %+v", tt.text, got)
		}
	}
}

// FuzzParse: no filter makes it panic, errors point into the text, and what is
// printed is read as the same again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"is:error lat>5ms", "!a -b", "status:4xx \"x y\"", "size>1k", "not not a", "(a or b) c", "@slow or x", `'a"b' "c'd"`,
		`jq:'.a | select(.b)'`, "~a(b|c)", `/x\/y/`, "a!=b status!=2xx", "after:#7 before:10:15", "x tool~\\(", "lat<=5ms", "lat<\"=5\"", "f(x)(y)", "@self", "(", "a or",
	} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, cursor int) {
		messages.WordAt(s, cursor)
		n, err := Parse(s)
		if err != nil {
			if err.At < 0 || err.At > len(s) || err.From < 0 || err.From > err.To || err.To > len(s) {
				t.Fatalf("error of %q at %d, %d to %d: %v", s, err.At, err.From, err.To, err)
			}
			return
		}
		one := n.String()
		again, err := Parse(one)
		if err != nil {
			t.Fatalf("%q is printed as %q: %v at %d", s, one, err, err.At)
		}
		if two := again.String(); one != two {
			t.Fatalf("%q is printed as %q and then as %q", s, one, two)
		}
		if !same(n, again) {
			t.Fatalf("%q means something else when it is printed as %q", s, one)
		}
	})
}

func same(a, b *Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Key != b.Key || a.Op != b.Op || a.Value != b.Value || a.Word != b.Word || a.Low != b.Low || a.High != b.High || len(a.Kids) != len(b.Kids) {
		return false
	}
	for i := range a.Kids {
		if !same(a.Kids[i], b.Kids[i]) {
			return false
		}
	}
	return true
}
