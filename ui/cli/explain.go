package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/export"
	"midwire/ui/agent/ask"
	"midwire/ui/cli/agents"
)

func (a *app) explain() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "explain [RULE | TEXT]", Short: "Explain a finding or an error message",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && len(args) == 1 {
				return agents.Answer(cmd.Context(), a.agents, ask.Explain{Rule: args[0]}, true)
			}
			text := ""
			switch {
			case len(args) == 0:
				text = export.RuleList(rules.All())
			default:
				r := rules.Find(args[0])
				said := sdkwords.Find(sdkwords.AnyCode, args[0])
				if len(said.Phrases) == 0 {
					said = sdkwords.Program(args[0])
				}
				switch {
				case r != nil:
					a.sayRenamed(args[0], r)
					text = export.RuleText(r)
				case len(said.Phrases) > 0 && len(rules.Nearest(args[0])) == 0:
					text = export.WordsText(said)
				default:
					return unknownRule(args[0])
				}
			}
			_, err := io.WriteString(a.Out, text)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (docs/schemas/explain.json)")
	return c
}

// sayRenamed says on standard error when a rule was asked for by a former id.
func (a *app) sayRenamed(id string, r *diagnose.Rule) {
	if id != r.ID {
		fmt.Fprintf(a.Err, "midwire: the rule %s is now called %s\n", id, r.ID)
	}
}

func unknownRule(id string) error {
	near := rules.Nearest(id)
	if len(near) == 0 {
		return usagef("no rule %q: midwire explain lists them", id)
	}
	return usagef("no rule %q: did you mean %s?", id, strings.Join(near[:min(len(near), 5)], ", "))
}
