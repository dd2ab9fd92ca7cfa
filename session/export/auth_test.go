package export

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	auth "midwire/session/oauth"
)

func authorization(t *testing.T, text string) *Authorization {
	t.Helper()
	s, err := transcript.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	tracker, checker := diagnose.New(session.Options{Tap: s.Tap}, rules.All())
	checker.Began(auth.Options{Started: begun().UnixNano()})
	for _, f := range s.Frames {
		tracker.Apply(f)
	}
	checker.Finish()
	return &Authorization{Recording: "rec", Account: checker.Logins().Account()}
}

// TestAuthText compares what is printed of some flows with the expected text.
func TestAuthText(t *testing.T) {
	for _, name := range []string{"good", "resource-differs", "refresh-race", "audience", "no-login", "two-tries"} {
		text, err := os.ReadFile(filepath.Join("..", "oauth", "testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "auth-"+name+".txt", AuthText(authorization(t, string(text))))
	}
	if got := AuthText(&Authorization{}); got != "No login, and no Authorization header in this recording.\n" {
		t.Errorf("%q", got)
	}
}

// TestAuthRules: what a check names is in the catalogue.
func TestAuthRules(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "oauth", "testdata", "*.txt"))
	named := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range authorization(t, string(text)).Flows {
			for _, c := range f.Checks {
				known := slices.ContainsFunc(rules.All(), func(r *diagnose.Rule) bool { return r.ID == c.Rule })
				if named[c.Rule] = true; c.Rule != "" && !known {
					t.Errorf("%s: check %s names rule %s", file, c.ID, c.Rule)
				}
			}
		}
	}
	if len(named) < 12 {
		t.Errorf("only %d rules are named", len(named))
	}
}

// TestReportLogins: a report has the flows of what it is about, and nothing from
// the wire as it is.
func TestReportLogins(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "oauth", "testdata", "two-tries.txt"))
	if err != nil {
		t.Fatal(err)
	}
	evil := strings.ReplaceAll(string(text), "mcp.example.com/mcp", "mcp.example.com/mcp<script>\x1b")
	s := &Source{Logins: authorization(t, evil).Flows}
	all := s.logins()
	if len(all) != 2 || len(all[0].Checks) == 0 || len(all[0].Steps) != 10 {
		t.Errorf("%+v", all)
	}
	var b strings.Builder
	p := &page{brief{w: &b}}
	p.logins(all)
	for _, want := range []string{`<section id="authorization">`, `<p class="bad">`, `<p class="ok">`, "Fails at step 7", "How to fix it", `href="#n22"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(b.String(), "\x1b") || strings.Contains(b.String(), "mcp<script>") {
		t.Error("markup of the wire is in the report")
	}
	if s.Session = 9; len(s.logins()) != 0 {
		t.Error("the flows of another session")
	}
}

// TestAuthIsSafe: nothing from the wire reaches the terminal as it is.
func TestAuthIsSafe(t *testing.T) {
	evil := "\x1b[31mx\u202e"
	a := authorization(t, "tap http\n1.1 > POST /mcp | Host: h"+evil+" | User-Agent: u"+evil+` || {"jsonrpc":"2.0","id":1,"method":"ping"}
1.1 < 401 | WWW-Authenticate: Bearer resource_metadata="http://h`+evil+`", scope="`+evil+`" ||
1.2 > POST /token | Host: h | User-Agent: u`+evil+" || grant_type=refresh_token&client_id="+evil+`
1.2 < 400 application/json || {"error":"`+evil+`","error_description":"\u001b]0;x\u0007"}
`)
	asJSON, err := SafeJSON(a)
	if err != nil || !json.Valid([]byte(asJSON)) {
		t.Fatal(err)
	}
	for _, out := range []string{AuthText(a), asJSON} {
		if strings.ContainsAny(out, "\x1b\x07\u202e") {
			t.Errorf("%q", out)
		}
	}
	if !strings.Contains(asJSON, "HTTP 400") {
		t.Errorf("%s", asJSON)
	}
}
