package cli

import (
	"cmp"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"midwire/intercept/clients"
	"midwire/ui/cli/doctor"
	"midwire/ui/config"
)

func (a *app) config() *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "Print the effective configuration and all options",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, there, err := a.configuration()
			if err != nil {
				return err
			}
			head, path := "Configuration of midwire.", cmp.Or(a.look.File, a.usualConfig())
			switch {
			case there:
				head += "\nIt is read from " + path + "."
			case path != "":
				head += "\nIt is read from " + path + ", which is not there: this is what holds without it."
			}
			_, err = io.WriteString(a.Out, config.Print(c, head))
			return err
		},
	}
}

func (a *app) doctor() *cobra.Command {
	e := doctor.Env{
		Out: a.Out, Getenv: a.Getenv, GOOS: runtime.GOOS, Version: a.Version, Folder: a.folder, Found: statusFound,
		Machine: func() (clients.Env, error) { return a.machine(".") },
		Config: func() (bool, string, error) {
			_, there, err := a.configuration()
			return there, cmp.Or(a.look.File, a.usualConfig()), err
		},
		ASCII: func() bool { return a.look.ASCII },
	}
	return e.Command()
}

func (a *app) usualConfig() string { return config.Usual(a.Getenv, a.UserConfig) }

// configuration is what is configured, with the flags on top; there says
// whether there is a file. Its errors are those of usage. Only what shows a
// screen, or prunes, asks for it: a proxy that a client launches reads no file.
func (a *app) configuration() (c config.Config, there bool, err error) {
	if c, there, err = a.look.Load(a.usualConfig()); err != nil {
		err = usageError{err}
	}
	return c, there, err
}
