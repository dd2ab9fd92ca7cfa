package help

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groups are the rows of midwire --help; commands joined by + share one.
var groups = [...]struct{ title, rows string }{
	{"Watch", "http run exec hub wrap+unwrap demo open gate"},
	{"Look", "ls show check explain search tools auth compare diff prune config"},
	{"Ask", "probe call test replay mock minimize baseline"},
	{"Hand over", "export mcp watch+ship"},
	{"Other", "completion contract diagnose faults help proxy skill wait"}, // with --all
}

// Which commands show the flags of recordings: naming is --label and --flow, of what is
// recorded; masking is what becomes of secrets in a recording or an export.
const (
	naming  = "midwire http run exec hub demo open probe call test replay minimize baseline proxy"
	masking = naming + " export auth check mcp"
	drawing = "midwire http open demo watch config"
)

var globals = map[string]string{
	"label": naming, "flow": naming,
	"keep-secrets": masking, "redact-key": masking, "redact-path": masking, "redact-value": masking,
	"ascii": drawing, "theme": drawing, "config": drawing + " prune",
}

// Shows reports whether the help of a command lists a flag that all commands take.
func Shows(command, flag string) bool {
	commands, limited := globals[flag]
	return !limited || slices.Contains(strings.Fields(commands), command)
}

// Install gives a root its help: fitted into a terminal, the commands in groups, and
// midwire help with --all.
func Install(root *cobra.Command) {
	show := root.HelpFunc()
	help := func(out io.Writer, cmd *cobra.Command, all bool) {
		Describe(cmd)
		var text bytes.Buffer
		if cmd == root {
			overview(&text, root, all)
		} else {
			restore := hide(cmd)
			was := cmd.OutOrStdout()
			cmd.SetOut(&text)
			show(cmd, nil)
			cmd.SetOut(was)
			restore()
		}
		narrow(out, text.String())
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help(cmd.OutOrStdout(), cmd, false) })
	all := false
	c := &cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command, or with --all every command",
		Args: func(_ *cobra.Command, args []string) error {
			if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
				return fmt.Errorf("unknown command %q; midwire help --all lists the commands", strings.Join(args, " "))
			}
			return nil
		},
		Run: func(cmd *cobra.Command, args []string) {
			of, _, _ := root.Find(args) // Args has found it
			help(cmd.OutOrStdout(), of, all)
		},
		ValidArgsFunction: complete,
	}
	c.Flags().BoolVar(&all, "all", false, "list every command")
	root.SetHelpCommand(c)
	root.InitDefaultHelpCmd()
}

// complete completes the name of a command.
func complete(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, c := range c.Root().Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name()+"\t"+c.Short)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// hide hides the flags that the help of a command does not list.
func hide(c *cobra.Command) (restore func()) {
	var hidden []*pflag.Flag
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !Shows(topOf(c), f.Name) {
			f.Hidden = true
			hidden = append(hidden, f)
		}
	})
	return func() {
		for _, f := range hidden {
			f.Hidden = false
		}
	}
}

// topOf is the name of the command below the root that a command belongs to.
func topOf(c *cobra.Command) string {
	for c.HasParent() && c.Parent().HasParent() {
		c = c.Parent()
	}
	return c.Name()
}

// overview is the help of midwire itself.
func overview(w io.Writer, root *cobra.Command, all bool) {
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n  midwire COMMAND\n", root.Long, root.UseLine())
	shown := groups[:len(groups)-1]
	if all {
		shown = groups[:]
	}
	for _, g := range shown {
		fmt.Fprintf(w, "\n%s:\n", g.title)
		for row := range strings.FieldsSeq(g.rows) {
			names := strings.Split(row, "+")
			short := ""
			if c, _, err := root.Find(names[:1]); err == nil {
				short = c.Short
			}
			fmt.Fprintf(w, "  %-14s %s\n", strings.Join(names, " · "), short)
		}
	}
	fmt.Fprintf(w, "\nFlags:\n%s\n", strings.TrimRight(root.Flags().FlagUsages(), "\n"))
	fmt.Fprint(w, "\nmidwire COMMAND --help explains a command, midwire help --all lists every one.\n")
}
