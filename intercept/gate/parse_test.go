package gate

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"midwire/session/jsonpath"
)

// TestActions: what is written behind the arrow is what is done.
func TestActions(t *testing.T) {
	path, err := jsonpath.Parse("params.arguments.path")
	if err != nil {
		t.Fatal(err)
	}
	never := cutting{events: -1}
	for text, want := range map[string]Action{
		"hold":                      {},
		"delay 3s":                  {For: 3 * time.Second},
		"duplicate":                 {N: 1},
		"duplicate   3 ":            {N: 3},
		`error -32603 "boom"`:       {N: -32603, Text: "boom"},
		"error -32603 boom boom":    {N: -32603, Text: "boom boom"},
		`error 1 "a \"b\"\n\u00e9"`: {N: 1, Text: "a \"b\"\né"},
		`tool-error "x"`:            {Text: "x"},
		"expire-session":            {N: 404},
		"expire-session 400":        {N: 400},
		"cut":                       {Cut: never},
		"cut after 2 events":        {Cut: cutting{events: 2}},
		"cut after 1 event reset":   {Cut: cutting{how: Reset, events: 1}},
		"status 429 Retry-After: 2": {N: 429, Fields: []Field{{"Retry-After", "2"}}},
		`status 401 body "no & no"`: {N: 401, Text: "no & no"},
		`status 200 Content-Type: text/html & body "<p>&</p>"`:   {N: 200, Fields: []Field{{"Content-Type", "text/html"}}, Text: "<p>&</p>"},
		`status 401 WWW-Authenticate: Bearer error="x", a="b c"`: {N: 401, Fields: []Field{{"WWW-Authenticate", `Bearer error="x", a="b c"`}}},
		"status 200 A: b & C: d":                                 {N: 200, Fields: []Field{{"A", "b"}, {"C", "d"}}},
		`set params.arguments.path {"a": [1, 2]}`:                {Path: path, JSON: []byte(`{"a": [1, 2]}`)},
		"remove params.arguments.path":                           {Path: path},
		"set-header Accept: application/json":                    {Fields: []Field{{"Accept", "application/json"}}},
		"remove-header id":                                       {Text: "id"},
		`inject {"method":"x"}`:                                  {JSON: []byte(`{"method":"x"}`)},
		`answer {"content": []}`:                                 {JSON: []byte(`{"content": []}`)},
	} {
		got, bad := ParseAction(text)
		if bad != nil {
			t.Errorf("%s: %v", text, bad)
			continue
		}
		if name, _, _ := strings.Cut(text, " "); got.name != name || got.text != strings.TrimSpace(text) {
			t.Errorf("%s is read as %s, and shown as %s", text, got.name, got.text)
		}
		if got.verb, got.text = nil, ""; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v\nwant %+v", text, got, want)
		}
	}
}

// TestRules: what stands before the arrow says of which messages, and which of them.
func TestRules(t *testing.T) {
	for line, want := range map[string]string{
		"method:tools/call tool:search #2 => delay 3s": "method:tools/call tool:search {2 2 0}",
		"=> hold":                      " {0 0 0}",
		"tool:x   =>   hold":           "tool:x {0 0 0}",
		"#every 3 => drop":             " {0 0 3}",
		"tool:search #2+ => drop":      "tool:search {2 0 0}",
		"#2-5 => drop":                 " {2 5 0}",
		`text:"a => b" => drop`:        `text:"a => b" {0 0 0}`,
		"tool:'Visual Studio' => hold": `tool:"Visual Studio" {0 0 0}`,
		"~timeout => drop":             "~timeout {0 0 0}",
	} {
		r, err := ParseRule(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := fmt.Sprintf("%s %v", r.When, r.Nth); got != want || r.String() != line {
			t.Errorf("%s is read as %s\nwant %s\nit is said to be %s", line, got, want, r)
		}
	}
}

func TestBadRules(t *testing.T) {
	for line, want := range map[string]string{
		"tool:x":                    "21:=> and what to do",
		"tool:x => explode":         "10:no such action",
		"lat>5s => hold":            "0:lat cannot be matched",
		"tool:x or flow:3 => hold":  "10:flow cannot be matched",
		"is:pending => hold":        "3:is: error ok",
		"#0 => hold":                "0:counted from 1",
		"#5-2 => hold":              "0:ends before it begins",
		"client:x => hold":          "0:use session",
		"#1 #2 => hold":             "0:said twice",
		"=> delay":                  "8:a time must follow",
		"=> delay 3":                "9:a time must follow",
		"=> hold please":            "8:nothing more",
		"=> answer {":               "10:JSON",
		"=> set a.* 1":              "7:not a pattern",
		"=> status 429 Retry-After": "14:a header field",
		"=> set-header A: b\x00":    "14:a header field",
		`=> error 1 "open`:          "11:not closed",
		"expire-sesion":             "13:did you mean expire-session",
		"kill-server now":           "12:takes nothing",
		"=> cut after 2 tables":     "13:events must follow",
		"kind:nothing => hold":      "5:kind:",
		"=> cut half":               "8:nothing more",
		"=> bandwidth 16kB/s":       "3:no such action",
	} {
		_, err := Parse(line)
		if err == nil {
			t.Errorf("%q is no rule and was taken", line)
			continue
		}
		_, text, _ := strings.Cut(want, ":")
		if !strings.Contains(err.Text, text) || err.At < 0 || err.At > len(line) {
			t.Errorf("%q: %d:%s, want %s", line, err.At, err.Text, want)
		}
	}
}

// TestPresets: each stands for rules, and so does its usual argument in words.
func TestPresets(t *testing.T) {
	for _, p := range Presets() {
		rules, err := Parse(p.Name)
		if err != nil || len(rules) != len(p.Lines) || p.Help == "" || p.Spec == "" {
			t.Errorf("%s: %d rules, %v", p.Name, len(rules), err)
			continue
		}
		fits := 0
		for _, tap := range []string{"stdio", "http"} {
			if rules[len(rules)-1].Fits(tap) == "" {
				fits++
			}
		}
		if fits == 0 {
			t.Errorf("%s fits no proxy", p.Name)
		}
		for _, r := range rules {
			if again, err := ParseRule(r.String()); err != nil || again.String() != r.String() {
				t.Errorf("%s: %s is read as %v, %v", p.Name, r, again, err)
			}
		}
	}
}

func TestScenario(t *testing.T) {
	all, err := ParseScenario("# a comment\n\n#2 => drop\nexpire-session 400\n")
	if err != nil || len(all) != 2 || all[1].Do.N != 400 {
		t.Fatalf("%+v, %v", all, err)
	}
	_, err = ParseScenario("=> drop\n=> nothing\n")
	if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("%v", err)
	}
}

// FuzzRule: what is read is said so that it can be read again, and errors are in the line.
func FuzzRule(f *testing.F) {
	for _, p := range Presets() {
		f.Add(p.Expand("")[0])
	}
	f.Add(`tool:search #2+ => error -32603 "boom"`)
	f.Fuzz(func(t *testing.T, line string) {
		r, err := ParseRule(line)
		if err != nil {
			if err.At < 0 || err.At > len(line) || err.From > err.To || err.To > len(line) {
				t.Fatalf("%q: %+v", line, err)
			}
			return
		}
		if r.String() != strings.TrimSpace(line) {
			return // without a credential
		}
		if again, err := ParseRule(r.String()); err != nil || fmt.Sprintf("%+v", again.Do) != fmt.Sprintf("%+v", r.Do) {
			t.Fatalf("%q is read as %+v, and again as %+v, %v", line, r, again, err)
		}
	})
}
