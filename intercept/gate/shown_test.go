package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"midwire/session/wire"
)

// A credential in a rule is done, and not said: in what is recorded, to controllers,
// and in errors.
func TestRulesAreShownWithoutCredentials(t *testing.T) {
	const secret = "s3cr3tabcdef123456"
	for _, line := range []string{
		`=> set-header Authorization: Bearer SECRET`,
		`=> set-header X-Api-Key: SECRET`,
		`=> status 401 Set-Cookie: sid=SECRET; Path=/ & X-Auth-Token: SECRET & body "token=SECRET"`,
		`=> status 401 body "Authorization: Bearer SECRET"`,
		`=> status 401 body "{\"access_token\":\"SECRET\"}"`,
		`=> answer {"token":"SECRET","a":{"password":"SECRET"}}`,
		`=> set result.token "SECRET"`,
		`=> set params.arguments.password {"x":"SECRET"}`,
		`=> set params.headers ["Authorization: Bearer SECRET"]`,
		`=> error -32603 "Authorization: Bearer SECRET"`,
		`header:authorization=SECRET => drop`,
		`header:"authorization: Bearer SECRET" or !text:"password=SECRET" => drop`,
		`=> tool-error "my api_key=SECRET is wrong"`,
		`=> inject {"method":"x","params":{"headers":{"Authorization":"Bearer SECRET"}}}`,
	} {
		given := strings.ReplaceAll(line, "SECRET", secret)
		const tap = "http"
		rules, bad := Parse(given)
		if bad != nil {
			t.Fatalf("%s: %v", line, bad)
		}
		if do := rules[0].Do; !strings.Contains(fmt.Sprintf("%s %s %s %v", rules[0].When, do.Text, do.JSON, do.Fields), secret) {
			t.Fatalf("%s: it is not done: %s", line, rules[0])
		}
		var told []string
		g := New(tap)
		found := strings.Join(rules[0].secrets, " ")
		g.Bind(func(e wire.Gate) { told = append(told, string(e.JSON())) })
		if err := g.Arm(rules, ""); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		g.Handler("").ServeHTTP(w, httptest.NewRequest("GET", "/state", nil))
		state, _ := io.ReadAll(w.Body)
		g.Disarm("*")
		other := New("stdio").Arm(rules, "")
		said := strings.Join(told, "\n") + string(state) + Masked(given) + Masked("nonsense "+given)
		if other != nil {
			said += other.Error()
		}
		if strings.Contains(said, secret) || !strings.Contains(said, "redacted") || !json.Valid(state) {
			t.Errorf("%s: said\n%s", line, said)
		}
		if strings.HasPrefix(line, "=>") && !strings.Contains(" "+found, " "+secret) {
			t.Errorf("%s: to be hidden is %q", line, found)
		}
		if _, bad := Parse(rules[0].String()); bad != nil {
			t.Errorf("%s is shown as what is no rule: %s", line, rules[0].String())
		}
	}
	for _, line := range []string{`tool:search #2 => delay 3s`, `=> status 429 Retry-After: 2 & body "too many tokens"`, `=> set params.name "x"`, `text:password => hold`} {
		if rules, _ := Parse(line); rules[0].String() != line || Masked(line) != line {
			t.Errorf("%s is shown as %s", line, rules[0].String())
		}
	}
}
