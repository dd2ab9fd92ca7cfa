package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/fixtures/classics"
	"midwire/fixtures/demo"
	"midwire/session/filter"
	"midwire/ui/cli/collect"
	"midwire/ui/cli/help"
)

// root is midwire with all its commands.
func (a *app) root() *cobra.Command {
	root := a.bare()
	a.commands(root)
	return root
}

// bare is midwire itself: the stdio proxy when there is a --, else the screen
// over every recording.
func (a *app) bare() *cobra.Command {
	var broken faultFlags
	var again reloadFlags
	var tells collect.Flags
	root := &cobra.Command{
		Use:           "midwire [flags] [-- COMMAND [ARG…]]",
		Short:         "See what MCP clients and servers say to each other",
		Version:       a.Version,
		SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() == 0 && len(args) > 0 {
				return a.stdio(args, broken, again, tells)
			}
			if len(args) == 1 && cmd.ArgsLenAtDash() < 0 {
				if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
					return usagef("unknown command %q; did you mean midwire %s?", args[0], strings.Join(near, " or "))
				}
			}
			if len(args) > 0 || cmd.ArgsLenAtDash() >= 0 {
				return usagef("unknown command %q. To put midwire in front of a server: midwire -- COMMAND, "+
					"or midwire run COMMAND where something on the way swallows the --. "+
					"midwire --help lists the commands", strings.Join(args, " "))
			}
			if !a.hasScreen(watching{}) {
				return usagef("no terminal to draw on. midwire ls and midwire show print to a pipe, " +
					"midwire http --no-ui prints as it goes")
			}
			return a.watch(cmd.Context(), watching{}, untilEnd)
		},
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(flagMistake)
	a.flags(root)
	broken.flags(root.Flags())
	again.flags(root.Flags())
	tells.Add(root.Flags())
	return root
}

// commands adds all commands to the root.
func (a *app) commands(root *cobra.Command) {
	root.AddCommand(
		a.ls(), a.show(), a.check(), a.auth(), a.explain(), a.export(), a.prune(),
		a.replay(), a.probe(), a.minimize(), a.test(), a.mock(), a.diff(), a.compare(),
		a.call(), a.baseline(), a.contract(),
		a.run(), a.http(), a.exec(), a.proxy(), a.wrap(), a.unwrap(), a.demo(), a.open(), a.config(),
		a.faultList(), a.gate(), a.hub(), a.confined(),
		demo.PeerCommand(), classics.PeerCommand(),
	)
	root.AddCommand(append(a.twins(), a.mcp(), a.skill())...)
	root.AddCommand(a.remote().Commands()...)
	root.InitDefaultCompletionCmd() // cobra would, later
	help.Install(root)
	explainArgs(root)
}

func (a *app) flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.label, "label", "", "name of the recording, instead of the command's or the server's")
	f.StringVar(&a.flow, "flow", "", "name that this recording shares with others of the same traffic, as on both sides of a gateway")
	f.StringVar(&a.look.Theme, "theme", "", "auto (default), light, dark or custom")
	f.StringVar(&a.look.File, "config", "", "file of the configuration of the screen")
	f.BoolVar(&a.look.ASCII, "ascii", false, "draw with ASCII characters only")
	f.BoolVar(&a.secrets.Keep, "keep-secrets", false, "record and export credentials as they are")
	f.StringSliceVar(&a.secrets.Keys, "redact-key", nil, "also mask the values of JSON members of this name (repeatable)")
	f.StringSliceVar(&a.secrets.Paths, "redact-path", nil, "also mask the value at this path, like params.arguments.pin (repeatable)")
	f.StringArrayVar(&a.secrets.Values, "redact-value", nil, "also mask what matches this regular expression (repeatable)")
	root.Flags().SetInterspersed(false) // else a flag of a server's would be what is wrong with midwire npx -y …
}

// explainArgs makes wrong arguments of the commands below parent usage errors
// that show the right ones.
func explainArgs(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		check := c.Args
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usagef("%s: %w. Usage: %s", cmd.Name(), err, cmd.UseLine())
			}
			return nil
		}
		explainArgs(c)
	}
}

func untilEnd(ctx context.Context) error { <-ctx.Done(); return nil }

// flagMistake says what flag may have been meant instead of one that there is not.
func flagMistake(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	near := ""
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near = filter.Nearest(unknown.GetSpecifiedName(), names)
	}
	if near != "" {
		return usagef("%w; did you mean --%s?", err, near)
	}
	return usagef("%w. %s --help lists the flags", err, cmd.CommandPath())
}
