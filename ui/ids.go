package ui

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"midwire/ui/keymap"
	"midwire/ui/replaying"
	"midwire/ui/view/findings"
)

// Binding is a line of the key map for those who configure it.
type Binding struct {
	ID   string
	Keys []string
	Help string
}

// shipped are all commands with the keys they have by themselves.
func shipped() []keymap.Command {
	m := &Model{opts: Options{Now: time.Now}}
	m.findings, m.replay = findings.New(nil, nil), replaying.New(context.Background(), m, nil)
	return m.everyCommand()
}

// Bindings lists the key map with other keys for some ids, in the order of
// the help. The keys are as CheckKeys wants them.
func Bindings(keys map[string][]string) []Binding {
	var out []Binding
	help := ""
	all := shipped()
	if CheckKeys(keys) == nil {
		all = keymap.Rebound(all, keys)
	}
	for i := range all {
		c := &all[i]
		if h := c.Key.Help(); h.Desc != "" {
			help = h.Desc
		} else if c.Area() == keymap.CopyMenu || c.Hint != "" {
			help = string(c.Hint)
		}
		out = append(out, Binding{c.ID, slices.Clone(c.Key.Keys()), help})
	}
	return out
}

// KeyError says which key of which binding cannot be.
type KeyError struct {
	ID, Why string
}

// Error names the binding.
func (e *KeyError) Error() string { return e.ID + ": " + e.Why }

// CheckKeys says what is wrong with other keys for some ids.
func CheckKeys(keys map[string][]string) *KeyError {
	if len(keys) == 0 {
		return nil
	}
	all := shipped()
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		if !slices.ContainsFunc(all, func(c keymap.Command) bool { return c.ID == id }) {
			return &KeyError{id, "there is no such action"}
		}
		for _, k := range keys[id] {
			if !keymap.IsKey(k) {
				return &KeyError{id, fmt.Sprintf("%q is no key; keys are single characters, enter, esc, tab, space, up, home, pgdown, f1 and the like, with ctrl+, alt+ or shift+ before them", k)}
			}
		}
	}
	return clash(keymap.Rebound(all, keys), keys)
}

// clash finds a key that would mean two things at one place. Where there is a
// screen of its own, its keys go before those that hold everywhere.
func clash(all []keymap.Command, keys map[string][]string) *KeyError {
	for _, in := range keymap.Areas() {
		seen := map[string]*keymap.Command{}
		for i := range all {
			c := &all[i]
			if c.Area() != in && (c.Area() != keymap.Everywhere || !in.Pane()) {
				continue
			}
			for _, k := range c.Key.Keys() {
				if other := seen[k]; other != nil {
					a, z := c, other
					if _, own := keys[a.ID]; !own {
						a, z = z, a
					}
					return &KeyError{a.ID, fmt.Sprintf("key %q is also that of %s; give that one another key, or none: %q = []", k, z.ID, z.ID)}
				}
				seen[k] = c
			}
		}
	}
	if own, ok := keys["global.interrupt"]; ok && !slices.Contains(own, "ctrl+c") {
		return &KeyError{"global.interrupt", "ctrl+c must be among its keys: it is the way out of everything"}
	}
	return nil
}
