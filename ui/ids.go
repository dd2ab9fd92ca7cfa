package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"midwire/session/safe"
)

// word is the action's part of the ids that a configuration uses. It never
// changes.
func (a action) word() string {
	words := [...]string{
		actNone: "", actQuit: "quit", actInterrupt: "interrupt", actBack: "back", actHelp: "help", actNextPane: "next-pane", actPrevPane: "previous-pane",
		actPaneTree: "sessions", actPaneList: "messages", actPaneDetail: "detail", actDown: "down", actUp: "up", actTop: "top", actBottom: "bottom",
		actHalfDown: "half-page-down", actHalfUp: "half-page-up", actPageDown: "page-down", actPageUp: "page-up", actOpen: "open", actLeft: "left",
		actRight: "right", actFilter: "filter", actFollow: "follow", actTime: "time", actFrames: "frames", actDrawer: "drawer", actPlace: "place",
		actNextProblem: "next-problem", actPrevProblem: "previous-problem", actCopy: "copy", actCopyJSON: "json", actCopyRaw: "raw", actCopyID: "id",
		actCopyWords: "words", actCopySession: "session-id", actMouse: "mouse", actRedraw: "redraw", actCopyConfig: "copy-config", actFind: "find",
		actNextHit: "next-hit", actPrevHit: "previous-hit", actWrap: "wrap", actScrollLeft: "scroll-left", actScrollRight: "scroll-right",
		actFreeze: "freeze", actFlow: "flow", actMark: "mark", actMarked: "marked", actFindings: "findings", actErrors: "errors", actWarnings: "warnings",
		actNotes: "notes", actOrder: "order", actReach: "scope", actMute: "mute", actOnlyThese: "only-these", actCopyReport: "copy-report",
		actCopyFindings: "findings", actReplay: "replay", actResend: "resend", actEdit: "edit", actCompare: "compare", actLastReplay: "last-replay",
		actIgnore: "ignore", actComment: "comment", actName: "name", actDelete: "delete", actFindNode: "find", actSort: "sort", actReverse: "reverse",
		actOther: "other", actReturn: "return", actWaterfall: "waterfall", actSequence: "sequence", actTools: "tools", actCaps: "capabilities",
		actStreams: "streams", actHandles: "handles", actDefinition: "definition", actFold: "fold", actFoldAll: "fold-all", actUnfoldAll: "unfold-all",
		actForm: "form", actForms: "forms", actHex: "bytes", actCopyPath: "path", actCopyValue: "value", actCopyCurl: "curl", actCopyReplay: "replay",
		actCopyMarkdown: "markdown", actSaveTab: "save-tab", actSaveValue: "save-value", actExport: "export", actZoomIn: "zoom-in",
		actZoomOut: "zoom-out", actFit: "fit", actNow: "now", actUnfold: "unfold", actPalette: "palette",
	}
	if int(a) < len(words) {
		return words[a]
	}
	return ""
}

func (in area) word() string {
	return [areas]string{
		everywhere: "global", inTree: "sessions", inList: "messages", inDetail: "detail", inCopy: "copy-menu", inEmpty: "empty",
		inReport: "findings", inReplay: "replay", inDiff: "differences", inExport: "export-menu",
		inWaterfall: "waterfall", inSequence: "sequence", inTools: "tools", inCaps: "capabilities", inStreams: "streams", inHandles: "handles",
	}[in]
}

// id names a binding for good: where it holds and what it does.
func (b *binding) id() string { return b.in.word() + "." + b.do.word() }

// Binding is a line of the key map for those who configure it.
type Binding struct {
	ID   string
	Keys []string
	Help string
}

// Bindings lists the key map with other keys for some ids, in the order of
// the help. The keys are as CheckKeys wants them.
func Bindings(keys map[string][]string) []Binding {
	all, _ := rebind(keymap(), keys)
	var out []Binding
	help := ""
	for i := range all {
		b := &all[i]
		if b.help != "" || b.hint != "" || b.in == inCopy {
			help = string(b.help)
			if help == "" {
				help = string(b.hint)
			}
		}
		out = append(out, Binding{b.id(), slices.Clone(b.keys), help})
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
	_, err := rebind(keymap(), keys)
	return err
}

// rebind gives bindings other keys. When that cannot be, it returns them as
// they were.
func rebind(all []binding, keys map[string][]string) ([]binding, *KeyError) {
	if len(keys) == 0 {
		return all, nil
	}
	out := slices.Clone(all)
	known := map[string]bool{}
	changed := map[int]bool{}
	for i := range out {
		b := &out[i]
		known[b.id()] = true
		if other, ok := keys[b.id()]; ok {
			b.keys = other
			changed[i] = true
		}
	}
	for _, id := range slices.Sorted(mapKeys(keys)) {
		if !known[id] {
			return all, &KeyError{id, "there is no such action"}
		}
		for _, k := range keys[id] {
			if !isKeyName(k) {
				return all, &KeyError{id, fmt.Sprintf("%q is no key; keys are single characters, enter, esc, tab, space, up, home, pgdown, f1 and the like, with ctrl+, alt+ or shift+ before them", k)}
			}
		}
	}
	if err := clash(out, keys); err != nil {
		return all, err
	}
	reshow(out, changed)
	return out, nil
}

func mapKeys(m map[string][]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// clash finds a key that would mean two things at one place. Where there is a
// screen of its own, its keys go before those that hold everywhere.
func clash(all []binding, keys map[string][]string) *KeyError {
	for in := range areas {
		seen := map[string]*binding{}
		for i := range all {
			b := &all[i]
			if b.in != in && (b.in != everywhere || in >= inCopy) {
				continue
			}
			for _, k := range b.keys {
				if other := seen[k]; other != nil {
					a, z := b, other
					if _, own := keys[a.id()]; !own {
						a, z = z, a
					}
					return &KeyError{a.id(), fmt.Sprintf("key %q is also that of %s; give that one another key, or none: %q = []", k, z.id(), z.id())}
				}
				seen[k] = b
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

// reshow spells the keys of what was changed, together with the bindings that
// share a line of the help.
func reshow(all []binding, changed map[int]bool) {
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].show == "" && all[end].help == "" && all[end].in == all[i].in {
			end++
		}
		var show []string
		other := false
		for k := i; k < end; k++ {
			other = other || changed[k]
			if len(all[k].keys) > 0 {
				show = append(show, spelled(all[k].keys[0]))
			}
		}
		if other {
			if all[i].show = safe.Line(strings.Join(show, " ")); len(show) == 0 {
				all[i].hint = "" // nothing to press
			}
		}
		i = end
	}
}

// spelled is a key as a person reads it.
func spelled(k string) string { return strings.Replace(k, "ctrl+", "^", 1) }
