// Package command has the commands that read recordings and change nothing:
// ls, show, check, explain.
package command

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"midwire/session/catalog"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/export"
)

// Env is what the commands need of the program.
type Env struct {
	Home     func() (string, error)                                                      // where recordings live
	Given    func(refs []string, use func(files []string) error) error                   // calls use with the files that references name
	Complete func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) // completes references
	Usage    func(format string, args ...any) error                                      // makes an error of wrong usage
	Version  string
}

// Exit ends the program with a status and says nothing more.
type Exit int

// Error returns the empty string: what there is to say was said.
func (e Exit) Error() string { return "" }

// Commands returns them.
func Commands(env Env) []*cobra.Command {
	return []*cobra.Command{env.ls(), env.show(), env.check(), env.explain()}
}

func (env Env) ls() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "ls", Short: "Sessions of every recording, newest first", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := env.Home()
			if err != nil {
				return err
			}
			return catalog.PrintList(os.Stdout, dir, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

func (env Env) show() *cobra.Command {
	raw := false
	c := &cobra.Command{
		Use: "show REC", Short: "A recording as text: a file, an id, last, or - for standard input", Args: cobra.ExactArgs(1), ValidArgsFunction: env.Complete,
		RunE: func(_ *cobra.Command, args []string) error {
			return env.Given(args, func(files []string) error {
				r, err := catalog.Read(files[0])
				if err != nil {
					return err
				}
				defer r.Reader.Close()
				return r.Show(os.Stdout, raw)
			})
		},
	}
	c.Flags().BoolVar(&raw, "raw", false, "every frame with its payload, in the order of the recording")
	return c
}

func (env Env) explain() *cobra.Command {
	markdown := false
	c := &cobra.Command{
		Use: "explain [RULE]", Short: "What a finding means, and how to mend it; without RULE the list", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text := ""
			switch {
			case markdown:
				text = export.RulesMarkdown(rules.All())
			case len(args) == 0:
				text = export.RuleList(rules.All())
			default:
				r := rules.Find(args[0])
				if r == nil {
					return env.unknownRule(args[0])
				}
				text = export.RuleText(r)
			}
			_, err := io.WriteString(os.Stdout, text)
			return err
		},
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "print the whole catalogue as a page")
	return c
}

func (env Env) unknownRule(id string) error {
	near := rules.Nearest(id)
	if len(near) == 0 {
		return env.Usage("no rule %q: midwire explain lists them", id)
	}
	return env.Usage("no rule %q: did you mean %s?", id, strings.Join(near[:min(len(near), 5)], ", "))
}

func ruleIDs() []string {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	return ids
}

func (env Env) check() *cobra.Command {
	var o checking
	c := &cobra.Command{
		Use: "check REC…", Short: "What is wrong in recordings, why, and who must mend it",
		Long: `Asks every rule about recordings: files, ids, last, or - for standard input.
Recordings of both sides of a gateway are compared with each other.

Exits with 1 when something of the level --fail-on or worse was found.`,
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: env.Complete,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.parse(env); err != nil {
				return err
			}
			return env.Given(args, func(files []string) error { return o.run(env, files) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "text", "text, json, junit or sarif")
	f.StringVar(&o.failOn, "fail-on", "warning", "exit with 1 from this level on: error, warning or note; never: always 0")
	f.StringSliceVar(&o.only, "rule", nil, "report findings of this rule only (repeatable)")
	f.StringSliceVar(&o.mute, "mute", nil, "leave findings of this rule out (repeatable)")
	_ = c.RegisterFlagCompletionFunc("rule", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// checking is one run of check.
type checking struct {
	format, failOn string
	only, mute     []string
	level          diagnose.Severity
}

func (o *checking) parse(env Env) error {
	levels := map[string]diagnose.Severity{"error": diagnose.Error, "warning": diagnose.Warning, "note": diagnose.Note, "never": 0}
	level, ok := levels[o.failOn]
	if !ok {
		return env.Usage("--fail-on %q: error, warning, note or never", o.failOn)
	}
	o.level = level
	if !slices.Contains([]string{"text", "json", "junit", "sarif"}, o.format) {
		return env.Usage("--format %q: text, json, junit or sarif", o.format)
	}
	for _, id := range slices.Concat(o.only, o.mute) {
		if rules.Find(id) == nil {
			return env.unknownRule(id)
		}
	}
	return nil
}

func (o *checking) run(env Env, files []string) error {
	checked, err := catalog.Check(files, rules.All())
	if err != nil {
		return err
	}
	var all []export.Found
	bad := false
	for _, c := range checked {
		for _, e := range export.Findings(c) {
			if len(o.only) > 0 && !slices.Contains(o.only, e.Rule) || slices.Contains(o.mute, e.Rule) {
				continue
			}
			all = append(all, e)
			bad = bad || e.Level <= o.level
		}
		if c.Trouble != "" {
			fmt.Fprintf(os.Stderr, "midwire: %s: %s\n", c.ID, c.Trouble)
		}
	}
	text := ""
	switch o.format {
	case "json":
		text, err = export.FindingsJSON(all)
	case "junit":
		text, err = export.FindingsJUnit(all, checked, rules.All(), o.level)
	case "sarif":
		text, err = export.FindingsSARIF(all, rules.All(), env.Version)
	default:
		text = export.FindingsText(all, checked)
	}
	if err == nil {
		_, err = io.WriteString(os.Stdout, text)
	}
	if err == nil && bad {
		return Exit(1)
	}
	return err
}
