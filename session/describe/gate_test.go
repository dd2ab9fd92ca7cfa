package describe

import (
	"testing"

	"midwire/session"
	"midwire/session/wire"
)

// gateTape is a stdio session with one call and what the gate did to it.
func gateTape(lines ...string) (*session.Tracker, []*wire.Frame) {
	t := session.New(session.Options{Tap: "stdio"})
	var all []*wire.Frame
	for i, l := range lines {
		f := &wire.Frame{N: uint64(i + 1), T: int64(i), X: 1, Kind: wire.KindLine, Dir: wire.ToServer, Data: []byte(l[1:])}
		if l[0] == '<' || l[0] == 'G' {
			f.Dir = wire.ToClient
		}
		if l[0] == 'g' || l[0] == 'G' {
			f.Kind = wire.KindGate
		}
		t.Apply(f)
		all = append(all, f)
	}
	return t, all
}

const (
	asked    = `>{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	answered = `<{"jsonrpc":"2.0","id":1,"result":{}}`
	held     = `g{"what":"hold","frame":1,"id":3,"rule":"tool:a => hold"}`
)

// TestGateStories: a row says what the gate did to its messages, and the rows of gate
// frames say each step.
func TestGateStories(t *testing.T) {
	for want, lines := range map[string][]string{
		"":     {asked, answered},
		"held": {asked, held},
		"held 4.2 s, then released edited by hand: -12 +14 bytes": {
			asked, held, `g{"what":"edit","frame":1,"by":"c1","less":12,"more":14,"now":{"a":[1]}}`,
			`g{"what":"release","frame":1,"ms":4200,"by":"c1"}`, answered,
		},
		"held 4.2 s, then released as it was received by hand": {
			asked, held, `g{"what":"edit","frame":1,"less":1,"now":{}}`, `g{"what":"edit","frame":1,"why":"as it was received","now":{}}`,
			`g{"what":"release","frame":1,"ms":4200}`,
		},
		"held 15.0 s, then released: who held it has left": {asked, held, `g{"what":"release","frame":1,"ms":15000,"why":"who held it has left"}`},
		"held 444 ms, then dropped by hand":                {asked, held, `g{"what":"drop","frame":1,"ms":444}`},
		"held 444 ms, then answered by hand":               {asked, held, `g{"what":"answer","frame":1,"ms":444,"made":1}`, answered},
		"dropped by fault never":                           {asked, `g{"what":"drop","frame":1,"rule":"x => drop","fault":"never"}`},
		"answered by the rule x => status 429":             {asked, `g{"what":"answer","frame":1,"rule":"x => status 429","how":"status 429"}`},
		"edited by the rule x => set: -1 +2 bytes":         {asked, `g{"what":"edit","frame":1,"rule":"x => set","less":1,"more":2,"now":{}}`},
		"delayed 300 ms by fault delay":                    {asked, `g{"what":"delay","frame":1,"ms":300,"fault":"delay"}`, `g{"what":"release","frame":1,"ms":301,"why":"its time had come"}`},
		"response dropped by fault never":                  {asked, answered, `G{"what":"drop","frame":2,"rule":"x => drop","fault":"never"}`},
	} {
		tr, _ := gateTape(lines...)
		for i := range tr.Rows() {
			if r := tr.Row(i); r.Kind == session.RowCall && Gate(tr, r) != want {
				t.Errorf("%q, not %q", Gate(tr, r), want)
			}
		}
	}
	for frame, want := range map[string]string{
		`g{"what":"arm","by":"c1","rules":["tool:a => hold","x => drop"],"seed":7}`: "tool:a => hold; x => drop",
		held: "#1 until a decision, by the rule tool:a => hold",
		`g{"what":"edit","frame":1,"less":1,"more":20,"now":{"what":"drop"}}`:                 "#1 by hand: -1 +20 bytes",
		`g{"what":"edit","frame":1,"rule":"a","head":"GET"}`:                                  "#1 by the rule a: the head",
		`g{"what":"release","frame":1,"ms":530}`:                                              "#1 after 530 ms, by hand",
		`g{"what":"release","frame":1,"ms":1000,"why":"its time had come"}`:                   "#1 after 1.0 s, its time had come",
		`g{"what":"gone","frame":1,"ms":1000}`:                                                "#1 after 1.0 s, its connection ended",
		`g{"what":"inject","frame":1,"made":1}`:                                               "what follows is the gate's own, by hand",
		`g{"what":"duplicate","frame":1,"count":2,"fault":"duplicate"}`:                       "#1 2 times more, by fault duplicate",
		`g{"what":"pass","frame":1,"why":"too much is held already","rule":"tool:a => hold"}`: "#1 too much is held already",
		`g{"what":"answer","frame":1,"fault":"429","how":"status 429"}`:                       "#1 by fault 429: status 429",
		`g{"what":"kill","frame":1,"rule":"x => kill","how":"kill"}`:                          "#1 by the rule x => kill",
	} {
		tr, all := gateTape(asked, frame)
		for i := range tr.Rows() {
			if r := tr.Row(i); r.Kind == session.RowTap {
				if got, _ := Row(tr, r, all[r.Request-1], nil); got != want {
					t.Errorf("%s: %q, not %q", frame, got, want)
				}
			}
		}
	}
}
