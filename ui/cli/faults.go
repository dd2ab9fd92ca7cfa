package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/intercept/gate"
	"midwire/session/safefile"
	"midwire/ui/cli/help"
)

// faultFlags are what the flags say of what a proxy shall break, and whether others may
// control its gate while it runs.
type faultFlags struct {
	controlled bool

	lines []string
	file  string
}

func (o *faultFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.lines, "fault", nil, "break something on purpose: 'tool:search #2 => delay 3s', or a name that midwire faults lists (repeatable)")
	f.BoolVar(&o.controlled, "gate", false, "let midwire gate, and the screen of another midwire, control this proxy while it runs: over a socket that is yours alone")
	f.StringVar(&o.file, "fault-file", "", "file of such lines")
}

// gate is the gate of a proxy, with what the flags say armed.
func (o *faultFlags) gate(tap string) (*gate.Gate, error) {
	var all []*gate.Rule
	if o.file != "" {
		text, err := safefile.ReadGiven(o.file, 1<<20)
		if err != nil {
			return nil, fmt.Errorf("--fault-file: %w", err)
		}
		if all, err = gate.ParseScenario(string(text)); err != nil {
			return nil, usagef("--fault-file %s, %w", o.file, err)
		}
	}
	given, err := gateRules(o.lines)
	if err != nil {
		return nil, err
	}
	all = append(all, given...)
	g := gate.New(tap)
	if len(all) > 0 {
		if err := g.Arm(all, ""); err != nil {
			return nil, usagef("--fault: %w", err)
		}
	}
	return g, nil
}

func gateRules(lines []string) (all []*gate.Rule, err error) {
	for _, line := range lines {
		rules, bad := gate.Parse(line)
		if bad != nil {
			at := strings.Repeat(" ", len([]rune(line[:min(bad.At, len(line))]))) + "^"
			if shown := gate.Masked(line); shown != line { // a log may keep it
				line, at = shown, ""
			}
			return nil, usagef("--fault: %s\n  %s\n  %s", bad.Text, line, at)
		}
		all = append(all, rules...)
	}
	return all, nil
}

func (a *app) faultList() *cobra.Command {
	return &cobra.Command{
		Use:   "faults",
		Short: "List named faults, and how to write your own",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w := bufio.NewWriter(a.Out)
			for _, p := range gate.Presets() {
				name := p.Name
				if p.Usual != "" {
					name += " [" + p.Usual + "]"
				}
				fmt.Fprintf(w, "%s\n", name)
				help.Fill(w, "  ", p.Help)
				help.Fill(w, "  spec  ", p.Spec)
				for _, l := range p.Expand("") {
					when, does, _ := strings.Cut(l, "=> ")
					help.Fill(w, "  "+when+"=> ", does)
				}
			}
			fmt.Fprintln(w, "\nACTION")
			for _, h := range gate.Help() {
				fmt.Fprintf(w, "  %s\n", h[0])
				help.Fill(w, "      ", h[1])
			}
			if err := w.Flush(); err != nil {
				return err
			}
			_, err := fmt.Fprint(a.Out, "\nA line is FILTER #2 => ACTION. #2 is the second match, #2+ that and all\n"+
				"later ones, #2-4, #every 3. The filter is that of the screen: docs/gate.md.\n")
			return err
		},
	}
}
