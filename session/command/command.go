// Package command has the commands that read recordings and change nothing:
// ls, show, check, explain, export.
package command

import (
	"errors"
	"io"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"midwire/session/catalog"
	"midwire/session/diagnose/rules"
	"midwire/session/export"
	"midwire/session/memory"
	"midwire/session/record"
)

// Env is what the commands need of the program.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Home     func() (string, error)                 // where recordings live
	Usage    func(format string, args ...any) error // makes an error of wrong usage
	Version  string
	Secrets  *record.Secrets // what the user says about masking
}

// Given calls use with the files that a user's references name.
func (env Env) Given(refs []string, use func(files []string) error) error {
	dir, err := env.Home()
	if err != nil {
		return err
	}
	files, done, err := catalog.Resolve(dir, refs, env.In)
	if err != nil {
		return err
	}
	defer done()
	signal.Ignore(syscall.SIGPIPE) // who reads our output may leave: done is to run all the same
	if err = use(files); errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// read is Given for commands that read a recording to its end. A payload of a
// hundred megabytes is copied a few times on the way to a line of text.
func (env Env) read(refs []string, use func(files []string) error) error {
	defer memory.Pace(320<<20, 2)()
	return env.Given(refs, use)
}

// Explained makes wrong arguments a usage error that shows the right ones.
func (env Env) Explained(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return env.Usage("%s: %w. Usage: %s", cmd.Name(), err, cmd.UseLine())
		}
		return nil
	}
}

// Complete lets a shell complete the ids of recordings.
func (env Env) Complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	dir, _ := env.Home()
	names, _ := record.Names(dir)
	return append(names, "last"), cobra.ShellCompDirectiveDefault
}

// Exit ends the program with a status and says nothing more.
type Exit int

// Error returns the empty string: what there is to say was said.
func (e Exit) Error() string { return "" }

// Commands returns the commands.
func (env Env) Commands() []*cobra.Command {
	return []*cobra.Command{env.ls(), env.show(), env.check(), env.explain(), env.export()}
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
			return catalog.PrintList(env.Out, dir, asJSON)
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
			return env.read(args, func(files []string) error {
				r, err := catalog.Read(files[0])
				if err != nil {
					return err
				}
				defer r.Reader.Close()
				return r.Show(env.Out, raw)
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
			_, err := io.WriteString(env.Out, text)
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

// Version is that of the program: of its module, or "devel".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return "devel"
}
