package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"midwire/replay/contrast"
	"midwire/replay/expect"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/session/safefile"
	"midwire/ui/agent/ask"
)

func (a *app) check() *cobra.Command {
	var o checking
	asJSON := false
	c := &cobra.Command{
		Use: "check REC…", Short: "Diagnose recordings: what failed, why, and whose fault",
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON {
				o.format = "json"
			}
			if err := o.parse(a); err != nil {
				return err
			}
			return a.read(args, func(files []string) error { return o.run(a, files) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "text", "text, json, junit or sarif")
	f.BoolVar(&asJSON, "json", false, "the same as --format json (docs/schemas/check.json)")
	f.StringVar(&o.failOn, "fail-on", "warning", "exit with 1 from this level on: error, warning or note; never: always 0")
	f.StringSliceVar(&o.only, "rule", nil, "report findings of this rule only (repeatable)")
	f.StringSliceVar(&o.mute, "mute", nil, "leave findings of this rule out (repeatable)")
	f.BoolVar(&o.gate, "count-gate", false, "also exit with 1 for what the gate made on purpose")
	f.BoolVar(&o.verbose, "verbose", false, "print whole what follows from a finding")
	f.StringVar(&o.baseline, "baseline", "", "also report definitions that are not those of this file (midwire baseline)")
	f.StringVar(&o.contract, "contract", "", "also report where a recording does not keep this file (midwire contract)")
	f.IntVar(&o.tokens, "max-definition-tokens", 0, "also report a list of tools whose definitions take more tokens")
	_ = c.RegisterFlagCompletionFunc("rule", completeRules)
	return c
}

type checking struct {
	format, failOn string
	only, mute     []string
	verbose, gate  bool
	level          diagnose.Severity

	baseline, contract string // files
	tokens             int
	rules              []*diagnose.Rule
}

func (o *checking) parse(a *app) error {
	if err := oneOf("--format", o.format, "text", "json", "junit", "sarif"); err != nil {
		return err
	}
	if err := oneOf("--fail-on", o.failOn, "error", "warning", "note", "never"); err != nil {
		return err
	}
	o.level = map[string]diagnose.Severity{
		"error": diagnose.Error, "warning": diagnose.Warning, "note": diagnose.Note,
	}[o.failOn] // none for never
	expected, err := o.expected()
	if err != nil {
		return err
	}
	o.rules = append(rules.All(), expected.Rules()...)
	for _, ids := range [][]string{o.only, o.mute} {
		for i, id := range ids {
			r := rules.Find(id)
			if own := slices.IndexFunc(o.rules, func(r *diagnose.Rule) bool { return r.ID == id }); own >= 0 {
				r = o.rules[own]
			}
			if r == nil {
				return unknownRule(id)
			}
			ids[i] = r.ID
		}
	}
	return nil
}

// expected is what files and flags say that recordings are to be like.
func (o *checking) expected() (e expect.Expected, err error) {
	e.Tokens = o.tokens
	if o.baseline != "" {
		if e.Baseline, err = readExpected(o.baseline, expect.ReadBaseline); err != nil {
			return e, err
		}
	}
	if o.contract != "" {
		e.Contract, err = readExpected(o.contract, expect.ReadContract)
	}
	return e, err
}

func readExpected[T any](path string, read func([]byte) (*T, error)) (*T, error) {
	text, err := safefile.ReadGiven(path, expect.MostFile)
	if err != nil {
		return nil, err
	}
	v, err := read(text)
	if err != nil {
		return nil, usagef("%s: %w", path, err)
	}
	return v, nil
}

// reads shows on a terminal how far the reading of recordings has come, in megabytes;
// end takes it away.
func (a *app) reads() (seen library.Seen, end func()) {
	bar := a.progress()
	return func(read, all int64, file string) {
		bar.Show(int(read>>20), int(all>>20), "MB  "+filepath.Base(file))
	}, bar.End
}

func (o *checking) run(a *app, files []string) error {
	options, err := a.masking()
	if err != nil {
		return err
	}
	dir, err := a.folder()
	named := len(files)
	if err == nil && named == 1 {
		files, err = record.Flow(dir, files[0])
	}
	if err != nil {
		return err
	}
	seen, end := a.reads()
	checked, err := library.CheckUntil(context.Background(), files, o.rules, seen)
	end()
	if err != nil {
		return err
	}
	if len(checked) > 1 && named == 1 {
		library.KeepCompared(files, checked)
	}
	if len(checked) == 1 {
		o.enrich(dir, files[0], &checked[0])
	}
	var all []export.Found
	bad := false
	for _, e := range export.Findings(checked...) {
		if len(o.only) > 0 && !slices.Contains(o.only, e.Rule) || slices.Contains(o.mute, e.Rule) {
			continue
		}
		e.Leave(o.mute)
		e.Excused = e.Excused && !o.gate
		all = append(all, e)
		bad = bad || e.Level <= o.level && !e.Excused
	}
	for _, c := range checked {
		for _, f := range c.Findings {
			if f.Defect != nil {
				a.keepDefect(f.Defect)
			}
		}
		if c.Trouble != "" {
			fmt.Fprintf(a.Err, "midwire: %s: %s\n", safe.Clean(c.ID), c.Trouble)
		}
		if tokens := c.HoldsTokens(); tokens != "" {
			fmt.Fprintf(a.Err, "midwire: %s: %s\n", safe.Clean(c.ID), tokens)
		}
	}
	library.MaskFindings(all, checked, options)
	text, err := o.text(a, all, checked)
	if err == nil {
		_, err = io.WriteString(a.Out, text)
	}
	if err == nil && bad {
		return statusFound
	}
	return err
}

// text is what is found in the form that was asked for.
func (o *checking) text(a *app, all []export.Found, checked []export.Checked) (string, error) {
	switch o.format {
	case "json":
		return export.JSON(all)
	case "junit":
		return export.FindingsJUnit(all, checked, o.rules, o.level)
	case "sarif":
		return export.FindingsSARIF(all, checked, o.rules, a.Version)
	}
	if len(o.only) > 0 && len(all) == 0 {
		return "No findings of " + strings.Join(o.only, ", ") + ".\n", nil
	}
	how := export.Text{Width: textWidth(a.Out), Whole: o.verbose}
	text := export.FindingsText(all, checked, how)
	if isTerminal(a.Out) {
		text = export.LinkPlaces(text, checked, how.Width)
	}
	return text, nil
}

// enrich adds what only the folder of recordings and the files of this machine know.
func (o *checking) enrich(dir, file string, c *export.Checked) {
	if record.IsOwn(dir, file) {
		for _, p := range c.Source {
			if p != nil {
				*p = library.Look(p.Frame, c.Folders)
			}
		}
	}
	unsure := func(f *diagnose.Finding) bool { return !f.Known() }
	if o.format == "text" && slices.ContainsFunc(c.Findings, unsure) {
		c.Good = contrast.Knows(dir, c.Sessions, c.Verdicts)
	}
}

// findings prints what is found in the recordings of a flow.
func (a *app) findings(flow string) error {
	dir, err := a.folder()
	if err != nil {
		return err
	}
	files, err := record.OfFlow(dir, flow)
	if err != nil {
		return err
	}
	checked, err := library.Check(files, rules.All())
	if err != nil {
		return err
	}
	how := export.Text{Width: textWidth(a.Out)}
	_, err = io.WriteString(a.Out, "\n"+export.FindingsText(export.Findings(checked...), checked, how))
	return err
}

func (a *app) explain() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "explain [RULE | TEXT]", Short: "Explain a finding or an error message",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && len(args) == 1 {
				return answer(cmd.Context(), a, ask.Explain{Rule: args[0]}, true)
			}
			text := ""
			switch {
			case len(args) == 0:
				text = export.RuleList(rules.All())
			default:
				r := cmp.Or(rules.Find(args[0]), expect.Find(args[0]))
				said := sdkwords.Find(sdkwords.AnyCode, args[0])
				if len(said.Phrases) == 0 {
					said = sdkwords.Program(args[0])
				}
				switch {
				case r != nil:
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

func unknownRule(id string) error {
	near := rules.Nearest(id)
	if len(near) == 0 {
		return usagef("no rule %q: midwire explain lists them", id)
	}
	return usagef("no rule %q: did you mean %s?", id, strings.Join(near[:min(len(near), 5)], ", "))
}
