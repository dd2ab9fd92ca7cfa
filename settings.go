package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"midwire/session/catalog/notebook"
	"midwire/session/record"
	"midwire/ui"
	"midwire/ui/config"
)

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return "devel"
}

// configFile is where the configuration is: the one that was named, else
// config.toml in $MIDWIRE_HOME, else in the user's folder for configurations.
func (a *app) configFile() (path string, named bool, err error) {
	if a.config != "" {
		return a.config, true, nil
	}
	if dir := os.Getenv("MIDWIRE_HOME"); dir != "" {
		return filepath.Join(dir, "config.toml"), false, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", false, fmt.Errorf("folder of the configuration: %w; name a file with --config", err)
	}
	return filepath.Join(dir, "midwire", "config.toml"), false, nil
}

// configured is the configuration with what the flags say on top. Only what
// shows a screen asks for it: a tap that a client launches reads no file.
func (a *app) configured() (c config.Config, from string, err error) {
	if a.theme != "" && !slices.Contains(ui.Themes(), a.theme) {
		return c, "", usagef("--theme %q: there are %s", a.theme, strings.Join(ui.Themes(), ", "))
	}
	path, named, err := a.configFile()
	if err != nil && os.Getenv("HOME") == "" && !named {
		err = nil // nowhere to look, and nothing to read
	}
	if err != nil {
		return c, "", err
	}
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		if c, err = config.Parse(path, data); err != nil {
			return c, "", usageError{err}
		}
		from = path
	case named || !errors.Is(err, fs.ErrNotExist) && path != "":
		return c, "", usageError{fmt.Errorf("configuration: %w", err)}
	}
	if a.theme != "" {
		c.Theme = a.theme
	}
	c.ASCII = c.ASCII || a.ascii
	return c, from, nil
}

func (a *app) configCommand() *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "The configuration of the screen that is in force, with all there is to configure",
		Long: `Prints the configuration that is in force: that of the file, with what the
flags say on top. What it prints can be the file:

  midwire config > config.toml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, from, err := a.configured()
			if err != nil {
				return err
			}
			path, _, _ := a.configFile()
			head := "Configuration of midwire.\nIt is read from " + path
			if from == "" {
				head += ", which is not there: this is what holds without it"
			}
			_, err = io.WriteString(a.reading().Out, config.Print(c, head+"."))
			return err
		},
	}
}

// screen makes the options of the screen what the configuration says, and has
// notes kept.
func (a *app) screen(c config.Config, source *record.Watch, o ui.Options) ui.Options {
	o.Theme, o.ASCII, o.Settings = c.Theme, c.ASCII, c.Settings
	dir, _ := home()
	o.Notebook = notebook.Book{Path: source.Path, Library: dir, Passing: func(path string) bool {
		return a.piped && filepath.Dir(path) == filepath.Clean(os.TempDir()) && strings.HasPrefix(filepath.Base(path), "midwire-")
	}}
	return o
}
