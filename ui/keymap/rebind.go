package keymap

import (
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
				all[i].Hint = "" // nothing to press
			}
		}
		i = end
	}
}

// spelled is a key as a person reads it.
func spelled(k string) string { return strings.Replace(k, "ctrl+", "^", 1) }
