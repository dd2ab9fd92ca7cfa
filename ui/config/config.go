// Package config reads and writes the configuration of the screen: a TOML file
// that says how it looks and which keys do what. What it does not know is ignored and
// reported; a wrong value is an error.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"midwire/session/library/prune"
	"midwire/session/safefile"
	"midwire/ui"
)

// Config is a configuration. The zero value is the one without a file.
type Config struct {
	Theme string // "" for auto
	ASCII bool
	// PruneOlder and PruneKeep say which recordings may be deleted, as
	// prune.ParseRule reads it.
	PruneOlder, PruneKeep string
	ui.Settings

	Unknown []string // warnings of keys and tables that are ignored, sorted
}

// Prune is what it says of old recordings.
func (c *Config) Prune() prune.Rule {
	rule, _ := prune.ParseRule(c.PruneOlder, c.PruneKeep) // Parse has checked them
	return rule
}

// Parse reads the configuration in a file. Its errors begin with the name of
// the file.
func Parse(file string, data []byte) (Config, error) {
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		line := 1
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ = at.Position()
		}
		return Config{}, fmt.Errorf("%s:%d: %s", file, line, strings.TrimPrefix(err.Error(), "toml: "))
	}
	r := reader{file: file}
	r.table("", all)
	r.checkKeys()
	slices.Sort(r.Unknown)
	slices.SortFunc(r.faults, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return r.Config, errors.Join(r.faults...)
}

type reader struct {
	Config
	file   string
	faults []error
}

func (r *reader) fault(format string, a ...any) {
	r.faults = append(r.faults, fmt.Errorf(r.file+": "+format, a...))
}

// unknown notes what no setting is: it is ignored.
func (r *reader) unknown(format string, a ...any) {
	r.Unknown = append(r.Unknown, fmt.Sprintf(r.file+": "+format, a...))
}

func (r *reader) table(prefix string, t map[string]any) {
	for name, v := range t {
		key := prefix + name
		group, rest, _ := strings.Cut(key, ".")
		sub, isTable := v.(map[string]any)
		switch {
		case isTable && group != "keys":
			r.unknown("unknown table [%s]; there is [keys]", key)
		case isTable:
			r.table(key+".", sub)
		case rest != "":
			r.key(rest, v)
		default:
			r.setting(key, v)
		}
	}
}

// setting takes in one of the settings that are not in a table.
func (r *reader) setting(key string, v any) {
	s := find(key)
	switch {
	case s == nil && key == "keys":
		r.fault("keys must be a table: [keys]")
	case s == nil:
		r.unknown("unknown key %q; there are %s and [keys]", key, strings.Join(names(), ", "))
	case s.check != nil:
		text, ok := v.(string)
		if !ok {
			r.fault("%s must be a text, like \"\"", key)
			return
		}
		if err := s.check(text); err != nil && text != "" {
			r.fault("%s: %v", key, err)
			return
		}
		*s.text(&r.Config) = text
	case s.words != nil:
		text, ok := v.(string)
		if !ok || !slices.Contains(s.words, text) {
			r.fault("%s must be one of %s", key, quoted(s.words))
			return
		}
		*s.text(&r.Config) = text
	default:
		on, ok := v.(bool)
		if !ok {
			r.fault("%s must be true or false", key)
			return
		}
		*s.flag(&r.Config) = on != s.inverse
	}
}

func quoted(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }

func (r *reader) key(id string, v any) {
	list, ok := v.([]any)
	keys := make([]string, 0, len(list))
	for _, k := range list {
		text, isText := k.(string)
		ok = ok && isText
		keys = append(keys, text)
	}
	if !ok {
		r.fault(`keys.%s must be a list of keys, like ["F", "ctrl+f"]; [] takes its keys away`, id)
		return
	}
	if r.Keys == nil {
		r.Keys = map[string][]string{}
	}
	r.Keys[id] = keys
}

// checkKeys reports what is wrong with the keys, all of them together.
func (r *reader) checkKeys() {
	known := map[string]bool{}
	for _, k := range ui.Bindings(nil) {
		known[k.ID] = true
	}
	for id := range r.Keys {
		if !known[id] {
			r.unknown("unknown action keys.%s; midwire config lists them", id)
			delete(r.Keys, id)
		}
	}
	if len(r.Keys) == 0 {
		r.Keys = nil
	}
	err := ui.CheckKeys(r.Keys)
	if err == nil {
		return
	}
	r.fault("keys.%s: %s; midwire config lists the actions", err.ID, err.Why)
}

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
