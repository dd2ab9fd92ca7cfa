// Package expect holds what a user expects of a session, and makes rules of it: the
// definitions of a server as they were once (a baseline), how many tokens they may take, and
// which tools a run calls (a contract).
package expect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/words"
)

// Expected is all that is expected; nil and zero stand for nothing.
type Expected struct {
	Baseline *Baseline
	Contract *Contract
	Tokens   int // of all definitions of tools, at most
}

// Rules are rules that find what is not as expected. They belong to one check.
func (e *Expected) Rules() (all []*diagnose.Rule) {
	if e.Baseline != nil {
		all = append(all, e.Baseline.rule())
	}
	if e.Tokens > 0 {
		all = append(all, tokensRule(e.Tokens))
	}
	if e.Contract != nil {
		all = append(all, e.Contract.rule())
	}
	return all
}

// Find is the rule of that id, to be explained; nil for none.
func Find(id string) *diagnose.Rule {
	every := Expected{Baseline: &Baseline{}, Contract: &Contract{}, Tokens: 1}
	for _, r := range every.Rules() {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// page is the help of a rule of this package.
func page(means, cause, fix string, side diagnose.Side) func() diagnose.Help {
	return func() diagnose.Help {
		return diagnose.Help{Means: means, Cause: cause, Remedies: []diagnose.Remedy{{Side: side, Text: fix}}}
	}
}

// MostFile is how long a file of this package may be.
const MostFile = 32 << 20

// read reads a file of one kind, which names itself.
func read(text []byte, kind string, into interface{ named() string }) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it is no %s: %w", kind, err)
	}
	if into.named() != kind {
		return errors.New(`it is no ` + kind + `: "midwire" is not "` + kind + `"`)
	}
	return nil
}

// write is the text of such a file.
func write(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

func quote(text string) string { return "“" + text + "”" }

// tokensRule finds lists of tools that take more tokens.
func tokensRule(most int) *diagnose.Rule {
	r := listRule("definitions-too-large", func(c *diagnose.Case) {
		if c.Call.Method != mcp.ToolsList {
			return
		}
		_, whole := diagnose.State[pages](c).take(c)
		type one struct {
			name   string
			tokens int
		}
		var all []one
		sum := 0
		for name, definition := range whole {
			cost := insight.CostOf(definition)
			all = append(all, one{name, cost.All()})
			sum += cost.All()
		}
		if sum <= most {
			return
		}
		slices.SortFunc(all, func(a, b one) int {
			return cmp.Or(cmp.Compare(b.tokens, a.tokens), strings.Compare(a.name, b.name))
		})
		var largest, names []string
		for _, o := range all[:min(len(all), 5)] {
			largest = append(largest, fmt.Sprintf("%s %d", quote(words.Clip(o.name, 60)), o.tokens))
			names = append(names, o.name)
		}
		c.ReportAs("", diagnose.Finding{
			Message: fmt.Sprintf("The definitions of %s (#%d) take about %d tokens of every conversation, and may take %d. The largest: %s.",
				words.Count(len(all), "tool"), c.N, sum, most, strings.Join(largest, ", ")),
			Items: names,
		})
	})
	r.Title, r.Brief = "The definitions of the tools take too many tokens", "definitions too large"
	r.Page = page("The name, description and input schema of each tool are part of every conversation. They take more "+
		"tokens than --max-definition-tokens.",
		"Long descriptions, deep schemas, or many tools.",
		"shorten the largest descriptions and schemas, or offer fewer tools.", diagnose.Server)
	return r
}
