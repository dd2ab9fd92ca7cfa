package keymap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"

	"midwire/session/safe"
)

// Rebound gives commands other keys.
func Rebound(all []Command, keys map[string][]string) []Command {
	if len(keys) == 0 {
		return all
	}
	changed := map[int]bool{}
	for i := range all {
		if other, ok := keys[all[i].ID]; ok {
			all[i].Key.SetKeys(other...)
			changed[i] = true
		}
	}
	reshow(all, changed)
	return all
}

// IsKey says whether a key is spelled as it arrives.
func IsKey(k string) bool {
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
func reshow(all []Command, changed map[int]bool) {
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].Key.Help() == (key.Help{}) && all[end].Area() == all[i].Area() {
			end++
		}
		var show []string
		other := false
		for k := i; k < end; k++ {
			other = other || changed[k]
			if keys := all[k].Key.Keys(); len(keys) > 0 {
				show = append(show, spelled(keys[0]))
			}
		}
		if other {
			all[i].Key.SetHelp(strings.Join(show, " "), all[i].Key.Help().Desc)
			if len(show) == 0 {
				all[i].Hint, all[i].Says = "", nil // nothing to press
			}
		}
		i = end
	}
}

func spelled(k string) string { return strings.Replace(k, "ctrl+", "^", 1) }

// Binding is a line of the key map for those who configure it.
type Binding struct {
	ID   string
	Keys []string
	Help string
}

// Bindings lists commands once each.
func Bindings(all []Command) (out []Binding) {
	help := ""
	for i := range all {
		c := &all[i]
		if slices.ContainsFunc(out, func(b Binding) bool { return b.ID == c.ID }) { // of several views
			continue
		}
		if h := c.Key.Help(); h.Desc != "" {
			help = h.Desc
		} else if c.Hint != "" {
			help = string(c.Hint)
		}
		out = append(out, Binding{c.ID, slices.Clone(c.Key.Keys()), help})
	}
	return out
}

// Check says what is wrong with other keys for some ids.
func Check(all []Command, keys map[string][]string) *KeyError {
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		if !slices.ContainsFunc(all, func(c Command) bool { return c.ID == id }) {
			return &KeyError{id, "there is no such action"}
		}
		for _, k := range keys[id] {
			if !IsKey(k) {
				return &KeyError{id, fmt.Sprintf("%q is no key; keys are single characters, enter, esc, tab, space, up, home, pgdown, f1 and the like, with ctrl+, alt+ or shift+ before them", k)}
			}
		}
	}
	return clash(Rebound(all, keys), keys)
}

// KeyError says which key of which binding cannot be.
type KeyError struct {
	ID, Why string
}

// clash finds a key that would mean two things at one place. Where there is a
// screen of its own, its keys go before those that hold everywhere.
func clash(all []Command, keys map[string][]string) *KeyError {
	for _, in := range Areas() {
		seen := map[string]*Command{}
		for i := range all {
			c := &all[i]
			if c.Area() != in && (c.Area() != Everywhere || !in.Pane()) {
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
