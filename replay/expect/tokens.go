package expect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/words"
)

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
