package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"midwire/session/safefile"
	"midwire/ui"
)

// Flags are what the command line says of the screen.
type Flags struct {
	File  string // of the configuration, "" for the usual one
	Theme string
	ASCII bool
}

// Usual is where the configuration is when no flag names a file: config.toml in
// $MIDWIRE_HOME, else in the user's folder for configurations; "" when there is
// no such folder.
func Usual(getenv func(string) string, folder func() (string, error)) string {
	if dir := getenv("MIDWIRE_HOME"); dir != "" {
		return filepath.Join(dir, "config.toml")
	}
	dir, err := folder()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "midwire", "config.toml")
}

// Load is the configuration in the file that was named, else in the usual one,
// with what the flags say on top; there says whether there is a file. Only a
// file that was named must be there. Errors are mistakes of the user.
func (f *Flags) Load(usual string) (c Config, there bool, err error) {
	if f.Theme != "" && !slices.Contains(ui.Themes(), f.Theme) {
		return c, false, fmt.Errorf("--theme %q: there are %s", f.Theme, strings.Join(ui.Themes(), ", "))
	}
	if path := cmp.Or(f.File, usual); path != "" {
		data, err := safefile.ReadGiven(path, 1<<20)
		if err != nil && (f.File != "" || !errors.Is(err, fs.ErrNotExist)) {
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
