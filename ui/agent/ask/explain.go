package ask

import (
	"context"
	"strings"

	"midwire/session/diagnose/rules"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/export"
)

// Explain asks what a finding or an error text means.
type Explain struct {
	Rule string `json:"rule" word:"arg" jsonschema:"id of a rule, as in a finding; or the text of an error"`
}

// Explanation is what a finding or an error text means.
type Explanation struct {
	Rule string `json:"rule,omitempty"` // its id now, "" for an error text
	Text string `json:"text"`
}

// Ask implements Question.
func (q Explain) Ask(context.Context, *Recordings) (*Explanation, error) {
	if r := rules.Find(q.Rule); r != nil {
		return &Explanation{Rule: r.ID, Text: export.RuleText(r)}, nil
	}
	near := rules.Nearest(q.Rule)
	if len(near) > 0 {
		return nil, mistakef("no rule %q. Did you mean %s?", q.Rule, strings.Join(near[:min(len(near), 5)], ", "))
	}
	said := sdkwords.Find(sdkwords.AnyCode, q.Rule)
	if len(said.Phrases) == 0 {
		said = sdkwords.Program(q.Rule)
	}
	if len(said.Phrases) == 0 {
		return nil, mistakef("no rule %q. Take the rule of a finding: midwire_diagnose has some", q.Rule)
	}
	return &Explanation{Text: export.WordsText(said)}, nil
}

func (e *Explanation) lead() {}

func (e *Explanation) next() []Call { return nil }
