package run

import (
	"strings"
	"testing"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
)

const (
	safeRead = `{"name":"read","annotations":{"readOnlyHint":true}}`
	callRead = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read"}}`
)

// listed is a recording of a list of tools and what follows it.
func listed(t testing.TB, tools string, lines ...string) string {
	return replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
		< {"jsonrpc":"2.0","id":1,"result":{"tools":[`+tools+`]}}
		`+strings.Join(lines, "\n"))
}

// guardCases are what the recording and the server say of tools, and calls.
var guardCases = map[string]struct {
	recorded string
	live     []string
	call     string
	early    bool   // refused before anything is sent
	why      string // "" when it is called
}{
	"both mark it":                    {safeRead, []string{safeRead}, callRead, false, ""},
	"on the second page":              {safeRead, []string{`{"name":"other"}`, safeRead}, callRead, false, ""},
	"the server does not":             {safeRead, []string{`{"name":"read"}`}, callRead, false, "by this server"},
	"the server says no":              {safeRead, []string{`{"name":"read","annotations":{"readOnlyHint":false}}`}, callRead, false, "by this server"},
	"the server does not know it":     {safeRead, []string{`{"name":"other"}`}, callRead, false, "by this server"},
	"listed twice now":                {safeRead, []string{safeRead + `,{"name":"read"}`}, callRead, false, "by this server"},
	"listed twice":                    {`{"name":"read"},` + safeRead, []string{safeRead}, callRead, true, "read"},
	"listed twice, other order":       {safeRead + `,{"name":"read"}`, []string{safeRead}, callRead, true, "read"},
	"hint twice":                      {`{"name":"read","annotations":{"readOnlyHint":true,"readOnlyHint":false}}`, []string{safeRead}, callRead, true, "read"},
	"hint twice, other order":         {`{"name":"read","annotations":{"readOnlyHint":false,"readOnlyHint":true}}`, []string{safeRead}, callRead, true, "read"},
	"hint twice now":                  {safeRead, []string{`{"name":"read","annotations":{"readOnlyHint":false,"readOnlyHint":true}}`}, callRead, false, "by this server"},
	"annotations twice":               {`{"name":"read","annotations":{"readOnlyHint":true},"Annotations":{}}`, []string{safeRead}, callRead, true, "read"},
	"destructive as well":             {`{"name":"read","annotations":{"readOnlyHint":true,"destructiveHint":true}}`, []string{safeRead}, callRead, true, "read"},
	"a tool of two names":             {`{"name":"wipe","name":"read","annotations":{"readOnlyHint":true}}`, []string{safeRead}, callRead, true, "read"},
	"name twice":                      {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe","name":"read"}}`, true, "two ways"},
	"name with an escape":             {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","n\u0061me":"wipe"}}`, true, "two ways"},
	"name in another case":            {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","NAME":"wipe"}}`, true, "two ways"},
	"params twice":                    {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe"},"params":{"name":"read"}}`, true, "two ways"},
	"method twice":                    {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","id":2,"method":"tools/call","method":"ping","params":{"name":"wipe"}}`, true, "two ways"},
	"method in another case":          {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","id":2,"method":"ping","Method":"tools/call","params":{"name":"wipe"}}`, true, "two ways"},
	"method with a letter that folds": {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","id":2,"method":"ping","paramſ":{"name":"wipe"}}`, true, "two ways"},
	"a notification":                  {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"wipe"}}`, true, "wipe"},
	"in a batch":                      {safeRead, []string{safeRead}, `[` + callRead + `,{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wipe"}}]`, true, "wipe"},
	"in a batch, without an id":       {safeRead, []string{safeRead}, `[` + callRead + `,{"method":"tools/call","params":{"name":"wipe"}}]`, true, "no JSON-RPC"},
	"no JSON":                         {safeRead, []string{safeRead}, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe"},}`, true, "no JSON-RPC"},
}

// Without leave a tool is called only when the recording and the server both
// mark it read-only, and nothing in the call can be read otherwise.
func TestGuard(t *testing.T) {
	t.Parallel()
	for name, tt := range guardCases {
		t.Run(name, func(t *testing.T) {
			path := listed(t, tt.recorded, "> "+tt.call, `< {"jsonrpc":"2.0","id":2,"result":{"got":{"name":"read"}}}`)
			p, err := load(t, path).Plan(replay.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			run := func(opt Options) (*replay.Report, string, error) {
				opt.Command, opt.Record = replaytest.Serve(append([]string{"raw"}, tt.live...)...), replaytest.Library(t)
				r, err := Run(t.Context(), p, opt)
				if err != nil {
					return nil, "", err
				}
				var calls []string
				for _, line := range replaytest.Sent(t, r.Other[0]) {
					if strings.Contains(line, "tools/call") || strings.Contains(line, "ping") {
						calls = append(calls, line)
					}
				}
				return r, strings.Join(calls, "\n"), nil
			}
			r, calls, err := run(Options{})
			switch {
			case tt.early:
				if err == nil || !strings.Contains(err.Error(), tt.why) {
					t.Errorf("error %v, want one of %q", err, tt.why)
				}
			case err != nil:
				t.Error(err)
			case tt.why == "":
				if calls != tt.call || len(r.Problems) > 0 {
					t.Errorf("sent %s, %v", calls, r.Problems)
				}
			case calls != "" || r.Count(replay.Skipped) != 1 || !r.Differs() || !strings.Contains(r.Problems[0].Text, tt.why):
				t.Errorf("sent %q, %v", calls, r.Problems)
			}
			if _, calls, err = run(Options{OnlyRead: true}); err != nil || calls != "" && tt.why != "" {
				t.Errorf("only what is read-only: sent %s, %v", calls, err)
			}
			if _, calls, err = run(Options{Yes: true}); err != nil || calls != tt.call {
				t.Errorf("with leave: sent %s, %v", calls, err)
			}
		})
	}
}

// Parameters that the user gives are judged as well: they may name another tool.
func TestGuardOfEditedCalls(t *testing.T) {
	t.Parallel()
	s := load(t, listed(t, safeRead, "> "+callRead))
	p := one(t, s, "read", `{"name":"wipe"}`)
	if got := p.Unmarked(); len(got) != 1 || got[0] != "wipe" {
		t.Errorf("edited: %q need leave", got)
	}
	set, err := replay.ParseSetting("params.name=wipe")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = s.Plan(replay.PlanOptions{Set: []replay.Setting{set}}); err != nil || len(p.Unmarked()) != 1 || p.Unmarked()[0] != "wipe" {
		t.Errorf("set: %q need leave, %v", p.Unmarked(), err)
	}
}

// A recorded response to the server that is a call for some servers is not sent.
func TestGuardOfAnswers(t *testing.T) {
	t.Parallel()
	path := replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"ask","params":{"message":"colour?"}}
		< {"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"colour?"}}
		> {"jsonrpc":"2.0","id":"q1","result":{},"Method":"tools/call","Params":{"name":"wipe"}}
		< {"jsonrpc":"2.0","id":1,"result":{}}`)
	p, err := load(t, path).Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), p, Options{Server: peer.Server{Command: replaytest.Serve("raw"), Record: replaytest.Library(t)}, Timeout: 1e9})
	if err != nil || strings.Contains(strings.Join(replaytest.Sent(t, r.Other[0]), ""), "wipe") || len(r.Problems) == 0 {
		t.Errorf("%v, sent %q, problems %v", err, replaytest.Sent(t, r.Other[0]), r.Problems)
	}
}

// A carriage return in a message ends a line for some servers: what stands
// behind it would be a message of its own.
func TestNoLineInALine(t *testing.T) {
	t.Parallel()
	s := load(t, replaytest.Tape(t, "stdio", `> {"jsonrpc":"2.0","id":1,"method":"echo","params":`+"\r"+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe"}}`+"\r}"))
	p, err := s.Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), p, Options{Server: peer.Server{Command: replaytest.Serve("raw"), Record: replaytest.Library(t)}})
	if err != nil || strings.Contains(strings.Join(replaytest.Sent(t, r.Other[0]), ""), "\r") {
		t.Errorf("%v, sent %q", err, replaytest.Sent(t, r.Other[0]))
	}
}
