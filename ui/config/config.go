// Package config reads and writes the configuration of the screen: a TOML file
// that says how it looks and which keys do what. What it cannot use is an
// error that names the line: a wrong word is never passed over.
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
	"github.com/pelletier/go-toml/v2/unstable"

	"midwire/session/library/prune"
	"midwire/session/safefile"
	"midwire/ui"
	"midwire/ui/keymap"
	"midwire/ui/term"
)

// Config is a configuration. The zero value is the one without a file.
type Config struct {
	Theme string // "" for auto
	ASCII bool
	// PruneOlder and PruneKeep say which recordings may be deleted, as
	// prune.ParseRule reads it.
	PruneOlder, PruneKeep string
	ui.Settings
}

// Prune is what it says of old recordings.
func (c *Config) Prune() prune.Rule {
	rule, _ := prune.ParseRule(c.PruneOlder, c.PruneKeep) // Parse has checked them
	return rule
}

// Parse reads the configuration in a file. Its errors begin with the name of
// the file and the line.
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
	r := reader{file: file, lines: lines(data)}
	r.table("", all)
	r.checkKeys()
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(a, b fault) int { return a.line - b.line })
		return Config{}, r.err()
	}
	return r.Config, nil
}

type reader struct {
	Config
	file   string
	lines  map[string]int // of each key
	faults []fault
}

type fault struct {
	line int
	text string
}

func (r *reader) fault(key, format string, a ...any) {
	r.faults = append(r.faults, fault{r.lines[key], fmt.Sprintf(format, a...)})
}

// err is the first few faults, one a line.
func (r *reader) err() error {
	const most = 10
	var all []error
	for i, f := range r.faults {
		if i == most {
			all = append(all, fmt.Errorf("and %d more", len(r.faults)-most))
			break
		}
		all = append(all, fmt.Errorf("%s:%d: %s", r.file, max(f.line, 1), f.text))
	}
	return errors.Join(all...)
}

func (r *reader) table(prefix string, t map[string]any) {
	for name, v := range t {
		key := prefix + name
		group, rest, _ := strings.Cut(key, ".")
		if sub, ok := v.(map[string]any); ok {
			if group != "keys" && group != "colours" {
				r.fault(key, "unknown table [%s]; there are [colours] and [keys]", key)
				continue
			}
			r.table(key+".", sub)
			continue
		}
		switch {
		case group == "keys" && rest != "":
			r.key(key, rest, v)
		case group == "colours" && rest != "":
			r.colour(key, rest, v)
		default:
			r.setting(key, v)
		}
	}
}

// setting takes in one of the settings that are not in a table.
func (r *reader) setting(key string, v any) {
	s := find(key)
	switch {
	case s == nil && (key == "keys" || key == "colours"):
		r.fault(key, "%s must be a table: [%s]", key, key)
	case s == nil:
		r.fault(key, "unknown key %q; there are %s, [colours] and [keys]", key, strings.Join(names(), ", "))
	case s.check != nil:
		text, ok := v.(string)
		if !ok {
			r.fault(key, "%s must be a text, like \"\"", key)
			return
		}
		if err := s.check(text); err != nil && text != "" {
			r.fault(key, "%s: %v", key, err)
			return
		}
		*s.text(&r.Config) = text
	case s.words != nil:
		text, ok := v.(string)
		if !ok || !slices.Contains(s.words, text) {
			r.fault(key, "%s must be one of %s", key, quoted(s.words))
			return
		}
		*s.text(&r.Config) = text
	default:
		on, ok := v.(bool)
		if !ok {
			r.fault(key, "%s must be true or false", key)
			return
		}
		*s.flag(&r.Config) = on != s.inverse
	}
}

func quoted(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }

func (r *reader) colour(key, role string, v any) {
	all := term.Roles()
	if !slices.ContainsFunc(all, func(r term.Role) bool { return r.Name == role }) {
		var there []string
		for _, r := range all {
			there = append(there, r.Name)
		}
		r.fault(key, "unknown colour %q; there are %s", role, strings.Join(there, ", "))
		return
	}
	text, ok := v.(string)
	if _, can := term.ParseStyle(text); !ok || !can {
		r.fault(key, "colours.%s: %s", role, term.ColourHelp)
		return
	}
	if r.Colours == nil {
		r.Colours = map[string]string{}
	}
	r.Colours[role] = text
}

func (r *reader) key(key, id string, v any) {
	list, ok := v.([]any)
	keys := make([]string, 0, len(list))
	for _, k := range list {
		text, isText := k.(string)
		ok = ok && isText
		keys = append(keys, text)
	}
	if !ok {
		r.fault(key, `keys.%s must be a list of keys, like ["F", "ctrl+f"]; [] takes its keys away`, id)
		return
	}
	if r.Keys == nil {
		r.Keys = map[string][]string{}
	}
	r.Keys[id] = keys
}

// checkKeys says what is wrong with the keys, all of them together.
func (r *reader) checkKeys() {
	err := ui.CheckKeys(r.Keys)
	if err == nil {
		return
	}
	why := err.Why
	if !slices.ContainsFunc(ui.Bindings(nil), func(b keymap.Binding) bool { return b.ID == err.ID }) {
		why = fmt.Sprintf("unknown action; %smidwire config lists them", nearest(err.ID))
	}
	r.fault("keys."+err.ID, "keys.%s: %s", err.ID, why)
}

// nearest suggests the actions of the same name elsewhere, or of the same place.
func nearest(id string) string {
	area, word, _ := strings.Cut(id, ".")
	word = cmp.Or(word, area)
	var same []string
	for _, b := range ui.Bindings(nil) {
		if _, w, _ := strings.Cut(b.ID, "."); w == word {
			same = append(same, b.ID)
		}
	}
	if len(same) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(same, ", ") + "? "
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

// lines says on which line each key of a document stands. Keys are the parts
// of their path with dots between them.
func lines(data []byte) map[string]int {
	w := walker{lines: map[string]int{}}
	w.p.Reset(data)
	var table []string
	for w.p.NextExpression() {
		switch e := w.p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = w.path(nil, e)
		case unstable.KeyValue:
			w.value(table, e)
		}
	}
	return w.lines
}

type walker struct {
	p     unstable.Parser
	lines map[string]int
}

// path notes the key of a node, and of all that it is in.
func (w *walker) path(prefix []string, n *unstable.Node) []string {
	at := append([]string(nil), prefix...)
	for it := n.Key(); it.Next(); {
		k := it.Node()
		at = append(at, string(k.Data))
		if key := strings.Join(at, "."); w.lines[key] == 0 {
			w.lines[key] = w.p.Shape(k.Raw).Start.Line
		}
	}
	return at
}

func (w *walker) value(table []string, n *unstable.Node) {
	at := w.path(table, n)
	v := n.Value()
	if v.Kind != unstable.InlineTable {
		return
	}
	for it := v.Children(); it.Next(); {
		w.value(at, it.Node())
	}
}
