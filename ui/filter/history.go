package filter

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/view"
)

// Keeper keeps the filters used last from one run to the next.
type Keeper interface {
	// Load returns them, the latest at the end.
	Load() ([]string, error)
	// Use notes that a filter was used.
	Use(filter string) error
}

const maxUsed = 200 // filters that are remembered while the program runs

// history is the filters used before, the latest at the end.
type history struct {
	used  []string
	at    int    // the one in the line, counted from the end; 0 for none
	typed string // what was in the line before it: they hold it
}

// Load asks for the filters of earlier runs.
func (f *Line) Load() tea.Cmd {
	keeper := f.keeper
	if keeper == nil {
		return nil
	}
	return func() tea.Msg {
		used, err := keeper.Load()
		return view.Then(func(h view.Host) tea.Cmd {
			if err != nil {
				return h.Complain(safe.Line("filters of earlier runs cannot be read: " + err.Error()))
			}
			f.past.used = append(used, f.past.used...)
			return nil
		})
	}
}

// Use puts a filter at the end of those used.
func (f *Line) Use(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	p := &f.past
	p.used = append(slices.DeleteFunc(p.used, func(s string) bool { return s == text }), text)
	p.used = p.used[max(0, len(p.used)-maxUsed):]
	keeper := f.keeper
	if keeper == nil {
		return nil
	}
	return func() tea.Msg {
		err := keeper.Use(text)
		if err == nil {
			return nil
		}
		return view.Then(func(h view.Host) tea.Cmd {
			return h.Complain(safe.Line("the filter is not kept: " + err.Error()))
		})
	}
}

// recall writes the filter used before the one in the line, or after it. What was
// typed, it must hold; behind the latest, that comes back.
func (f *Line) recall(h view.Host, older bool) {
	p := &f.past
	if p.at == 0 {
		p.typed = f.Text()
		if p.typed == f.before {
			p.typed = ""
		}
	}
	fits := slices.DeleteFunc(slices.Clone(p.used), func(s string) bool { return !words.Contains(s, p.typed) })
	switch {
	case older && len(p.used) == 0:
		h.Complain("no earlier filter; enter applies one")
		return
	case older:
		p.at = min(p.at+1, len(fits))
	default:
		p.at = max(p.at-1, 0)
	}
	text := p.typed
	if p.at > 0 {
		text = fits[len(fits)-p.at]
	}
	f.input.Write(text)
	f.apply(h)
	f.offer(h)
}
