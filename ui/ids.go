package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"

	"midwire/session/safe"
)

// Binding is a line of the key map for those who configure it.
type Binding struct {
	ID   string
	Keys []string
	Help string
}

// shipped are all commands with the keys they have by themselves.
func shipped() []command {
	m := &Model{opts: Options{Now: time.Now}}
	m.findings = newFindings(nil, nil)
	return m.everyCommand()
}

// Bindings lists the key map with other keys for some ids, in the order of
// the help. The keys are as CheckKeys wants them.
func Bindings(keys map[string][]string) []Binding {
	var out []Binding
	help := ""
	all := shipped()
	if CheckKeys(keys) == nil {
		all = rebound(all, keys)
	}
	for i := range all {
		c := &all[i]
		if h := c.key.Help(); h.Desc != "" {
			help = h.Desc
		} else if c.area() == inCopy || c.hint != "" {
			help = string(c.hint)
		}
		out = append(out, Binding{c.id, slices.Clone(c.key.Keys()), help})
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
		if !slices.ContainsFunc(all, func(c command) bool { return c.id == id }) {
			return &KeyError{id, "there is no such action"}
		}
		for _, k := range keys[id] {
			if !isKeyName(k) {
				return &KeyError{id, fmt.Sprintf("%q is no key; keys are single characters, enter, esc, tab, space, up, home, pgdown, f1 and the like, with ctrl+, alt+ or shift+ before them", k)}
			}
		}
	}
	return clash(rebound(all, keys), keys)
}

// rebound gives commands other keys.
func rebound(all []command, keys map[string][]string) []command {
	if len(keys) == 0 {
		return all
	}
	changed := map[int]bool{}
	for i := range all {
		if other, ok := keys[all[i].id]; ok {
			all[i].key.SetKeys(other...)
			changed[i] = true
		}
	}
	reshow(all, changed)
	return all
}

// clash finds a key that would mean two things at one place. Where there is a
// screen of its own, its keys go before those that hold everywhere.
func clash(all []command, keys map[string][]string) *KeyError {
	for _, in := range areas() {
		seen := map[string]*command{}
		for i := range all {
			c := &all[i]
			if c.area() != in && (c.area() != everywhere || !in.pane()) {
				continue
			}
			for _, k := range c.key.Keys() {
				if other := seen[k]; other != nil {
					a, z := c, other
					if _, own := keys[a.id]; !own {
						a, z = z, a
					}
					return &KeyError{a.id, fmt.Sprintf("key %q is also that of %s; give that one another key, or none: %q = []", k, z.id, z.id)}
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

// isKeyName says whether a key is spelled as it arrives.
func isKeyName(k string) bool {
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		if rest, ok := strings.CutPrefix(k, mod); ok && rest != "" {
			k = rest
		}
	}
	if utf8.RuneCountInString(k) == 1 {
		return k != " " && safe.Clean(k) == k
	}
	if n, ok := strings.CutPrefix(k, "f"); ok && len(n) <= 2 && strings.Trim(n, "0123456789") == "" {
		return n != "" && n != "0"
	}
	return slices.Contains([]string{"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown"}, k)
}

// reshow spells the keys of what was changed, together with the commands that
// share a line of the help.
func reshow(all []command, changed map[int]bool) {
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].key.Help() == (key.Help{}) && all[end].area() == all[i].area() {
			end++
		}
		var show []string
		other := false
		for k := i; k < end; k++ {
			other = other || changed[k]
			if keys := all[k].key.Keys(); len(keys) > 0 {
				show = append(show, spelled(keys[0]))
			}
		}
		if other {
			all[i].key.SetHelp(strings.Join(show, " "), all[i].key.Help().Desc)
			if len(show) == 0 {
				all[i].hint = "" // nothing to press
			}
		}
		i = end
	}
}

// spelled is a key as a person reads it.
func spelled(k string) string { return strings.Replace(k, "ctrl+", "^", 1) }
