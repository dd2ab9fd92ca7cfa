package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/session/files"
	"midwire/ui"
)

// Flags are what the command line says of the screen, and the world that they
// are said in.
type Flags struct {
	File  string // of the configuration, "" for the usual one
	Theme string
	ASCII bool

	Getenv   func(string) string
	Folder   func() (string, error)       // where the user keeps configurations
	ReadFile func(string) ([]byte, error) // nil: of the disk
}

// Add adds the flags.
func (f *Flags) Add(to *pflag.FlagSet) {
	to.StringVar(&f.Theme, "theme", "", "auto (default), light, dark or custom")
	to.StringVar(&f.File, "config", "", "file of the configuration of the screen")
	to.BoolVar(&f.ASCII, "ascii", false, "draw with ASCII characters only")
}

// Path is where the configuration is: the file that was named, else config.toml
// in $MIDWIRE_HOME, else in the user's folder for configurations; "" when there
// is no such folder.
func (f *Flags) Path() (path string, named bool) {
	if f.File != "" {
		return f.File, true
	}
	if dir := f.Getenv("MIDWIRE_HOME"); dir != "" {
		return filepath.Join(dir, "config.toml"), false
	}
	dir, err := f.Folder()
	if err != nil {
		return "", false
	}
	return filepath.Join(dir, "midwire", "config.toml"), false
}

// Load is the configuration with what the flags say on top; there says whether
// there is a file. Only what shows a screen calls it: a tap that a client
// launches reads no file. Errors are mistakes of the user.
func (f *Flags) Load() (c Config, there bool, err error) {
	if f.Theme != "" && !slices.Contains(ui.Themes(), f.Theme) {
		return c, false, fmt.Errorf("--theme %q: there are %s", f.Theme, strings.Join(ui.Themes(), ", "))
	}
	path, named := f.Path()
	if path != "" {
		read := f.ReadFile
		if read == nil {
			read = files.ReadGiven
		}
		data, err := read(path)
		if err != nil && (named || !errors.Is(err, fs.ErrNotExist)) {
			return c, false, fmt.Errorf("configuration: %w", err)
		}
		if there = err == nil; there {
			if c, err = Parse(path, data); err != nil {
				return c, false, err
			}
		}
	}
	if f.Theme != "" {
		c.Theme = f.Theme
	}
	c.ASCII = c.ASCII || f.ASCII
	return c, there, nil
}

// Command prints the configuration to out. Mistakes of the user go through
// usage.
func (f *Flags) Command(out io.Writer, usage func(format string, a ...any) error) *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "The configuration of the screen that is in force, with all there is to configure",
		Long: `Prints the configuration that is in force: that of the file, with what the
flags say on top. What it prints can be the file:

  midwire config > config.toml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, read, err := f.Load()
			if err != nil {
				return usage("%w", err)
			}
			path, _ := f.Path()
			head := "Configuration of midwire."
			switch {
			case read:
				head += "\nIt is read from " + path + "."
			case path != "":
				head += "\nIt is read from " + path + ", which is not there: this is what holds without it."
			}
			_, err = io.WriteString(out, Print(c, head))
			return err
		},
	}
}
