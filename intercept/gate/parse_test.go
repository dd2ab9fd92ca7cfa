package gate

import (
	"strings"
	"testing"
)

// TestRules: what is written is what is printed, in one spelling.
func TestRules(t *testing.T) {
	for line, want := range map[string]string{
		"method:tools/call tool:search #2 => delay 3s": "",
		"=> hold":                             "",
		"tool:x   =>   hold":                  "tool:x => hold",
		"#every 3 => drop":                    "",
		"tool:search #2+ ~10% seed 7 => drop": "",
		"#2-5 => drop":                        "",
		`text:"a => b" => drop`:               "",
		`=> error -32603 "boom"`:              "",
		"=> error -32603 boom boom":           `=> error -32603 "boom boom"`,
		"=> expire-session":                   "=> expire-session 404",
		"=> cut":                              "=> cut clean",
		"=> cut after 2 events":               "=> cut after 2 events clean",
		"=> cut after 100 bytes reset":        "",
		"=> status 429 Retry-After: 2":        "",
		`=> status 200 Content-Type: text/html & body "<p>&</p>"`:   "",
		`=> status 401 WWW-Authenticate: Bearer error="x", a="b c"`: "",
		"=> delay 1s jitter 200ms":                                  "",
		`=> set params.arguments.path {"a": [1, 2]}`:                "",
		"=> remove result.structuredContent":                        "",
		"=> set-header Accept: application/json":                    "",
		"=> remove-header id":                                       "",
		"=> storm notifications/tools/list_changed 50 at 100/s":     "",
		"=> storm x":                     "=> storm x 50 at 100/s",
		"=> huge 20MB":                   "=> huge 20971520B",
		"=> bandwidth 16kB/s":            "=> bandwidth 16384B/s",
		"=> slice 7":                     "",
		"=> exit 3":                      "",
		"=> reorder":                     "=> reorder within 1s",
		`=> answer {"content": []}`:      "",
		"client:'Visual Studio' => hold": `client:"Visual Studio" => hold`,
		"~timeout ~5% => drop":           "",
	} {
		r, err := ParseRule(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if want == "" {
			want = line
		}
		if got := r.String(); got != want {
			t.Errorf("%s is printed %s\nwant %s", line, got, want)
		}
	}
}

func TestBadRules(t *testing.T) {
	for line, want := range map[string]string{
		"tool:x":                    "21:=> and what to do",
		"tool:x => explode":         "10:no such action",
		"lat>5s => hold":            "0:lat cannot be asked",
		"tool:x or flow:3 => hold":  "10:flow cannot be asked",
		"is:pending => hold":        "3:is: error ok",
		"#0 => hold":                "0:counted from 1",
		"#5-2 => hold":              "0:ends before it begins",
		"~0% => hold":               "0:probability",
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
		"=> huge 1TB":               "8:a size",
		"=> cut after 2 tables":     "13:events or bytes",
		"=> slice":                  "8:a number of bytes",
		"kind:nothing => hold":      "5:kind:",
		"=> storm x 5 at never":     "16:a rate",
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
	s, err := ParseScenario("# a comment\nseed 7\n\n#2 => drop\nexpire-session 400\n")
	if err != nil || s.Seed != 7 || len(s.Rules) != 2 || s.Rules[1].Do.Status != 400 {
		t.Fatalf("%+v, %v", s, err)
	}
	_, err = ParseScenario("=> drop\n=> nothing\n")
	if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("%v", err)
	}
}

// FuzzRule: what is read is printed so that the same is read again.
func FuzzRule(f *testing.F) {
	for _, p := range Presets() {
		f.Add(p.Expand("")[0])
	}
	f.Add(`tool:search #2+ ~10% seed 7 => error -32603 "boom"`)
	f.Fuzz(func(t *testing.T, line string) {
		r, err := ParseRule(line)
		if err != nil {
			if err.At < 0 || err.At > len(line) || err.From > err.To || err.To > len(line) {
				t.Fatalf("%q: %+v", line, err)
			}
			return
		}
		text := r.String()
		again, err := ParseRule(text)
		if err != nil || again.String() != text {
			t.Fatalf("%q is printed %q, which is %v, %v", line, text, again, err)
		}
	})
}
