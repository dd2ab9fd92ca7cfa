package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	lang "midwire/session/filter"
	"midwire/session/safe"
)

// FilterKeeper keeps filters from one run to the next. Its methods are called
// from commands, one at a time.
type FilterKeeper interface {
	// Load returns the filters used last, the latest at the end, and the saved
	// ones by name.
	Load() (used []string, saved map[string]string, err error)
	// Use notes that a filter was used.
	Use(filter string) error
	// Save keeps a filter under a name; an empty one takes the name away.
	Save(name, filter string) error
	// Forget takes a filter out of those used.
	Forget(filter string) error
}

const maxUsed = 200 // filters that are remembered while the program runs

// filterKept is what is known of earlier filters.
type filterKept struct {
	used  []string // the latest at the end
	saved map[string]string
	work  []func(FilterKeeper) error // still to be told to the keeper
	busy  bool
}

func (k *filterKept) named(name string) string { return k.saved[name] }

// names are those of the saved filters, in order.
func (k *filterKept) names() []string {
	var out []string
	for n := range k.saved {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

type (
	keptMsg struct {
		used  []string
		saved map[string]string
		err   error
	}
	keepMsg struct{ err error }
)

// loadFilters asks for the filters of earlier runs.
func (m *Model) loadFilters() tea.Cmd {
	keeper := m.opts.Filters
	if keeper == nil {
		return nil
	}
	return func() tea.Msg {
		used, saved, err := keeper.Load()
		return keptMsg{used, saved, err}
	}
}

func (m *Model) takeKept(msg keptMsg) tea.Cmd {
	k := &m.filter.kept
	if msg.err != nil {
		return m.complain(safe.Line("filters of earlier runs cannot be read: " + msg.err.Error()))
	}
	k.used = append(msg.used, k.used...)
	for name, text := range msg.saved {
		if _, ok := k.saved[name]; !ok && lang.GoodName(name) {
			k.put(name, text)
		}
	}
	return nil
}

func (k *filterKept) put(name, text string) {
	if k.saved == nil {
		k.saved = map[string]string{}
	}
	k.saved[name] = text
}

// keep tells the keeper, one thing after the other.
func (m *Model) keep(do func(FilterKeeper) error) tea.Cmd {
	if m.opts.Filters == nil {
		return nil
	}
	if do != nil {
		m.filter.kept.work = append(m.filter.kept.work, do)
	}
	k := &m.filter.kept
	if k.busy || len(k.work) == 0 {
		return nil
	}
	work, keeper := k.work[0], m.opts.Filters
	k.work, k.busy = k.work[1:], true
	return func() tea.Msg { return keepMsg{work(keeper)} }
}

func (m *Model) takeKeep(msg keepMsg) tea.Cmd {
	m.filter.kept.busy = false
	next := m.keep(nil)
	if msg.err != nil {
		return tea.Batch(next, m.complain(safe.Line("the filter is not kept: "+msg.err.Error())))
	}
	return next
}

// useFilter puts a filter at the end of those used.
func (m *Model) useFilter(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	k := &m.filter.kept
	k.used = append(slices.DeleteFunc(k.used, func(s string) bool { return s == text }), text)
	k.used = k.used[max(0, len(k.used)-maxUsed):]
	return m.keep(func(to FilterKeeper) error { return to.Use(text) })
}

// askName asks under which name to save the filter.
func (f *filterLine) askName(m *Model) tea.Cmd {
	text := strings.TrimSpace(f.input.Value())
	if err := lang.Check(text, f.kept.named); err != nil {
		return m.complain("only a filter that is right can be saved: " + safe.Line(err.Error()))
	}
	f.naming, f.named = true, text
	f.drop.close()
	f.input.SetValue("")
	return nil
}

func (f *filterLine) unname() {
	f.naming = false
	f.input.SetValue(f.named)
	f.input.CursorEnd()
}

// nameKey takes a key while a name is typed.
func (f *filterLine) nameKey(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c":
		return m.quit(true)
	case "esc":
		f.unname()
		f.drop.update(m)
		return nil
	case "enter":
		return f.saveAs(m, strings.TrimSpace(f.input.Value()))
	case "up", "down", "tab":
		return nil
	}
	return f.update(m, k)
}

func (f *filterLine) saveAs(m *Model, name string) tea.Cmd {
	name = strings.TrimPrefix(name, "@")
	if !lang.GoodName(name) {
		return m.complain("a name has letters, digits, - and _, 40 at most")
	}
	text := f.named
	old := f.kept.saved[name]
	f.kept.put(name, text)
	if err := lang.Check("@"+name, f.kept.named); err != nil {
		if f.kept.put(name, old); old == "" {
			delete(f.kept.saved, name)
		}
		return m.complain("@" + safe.Line(name) + " cannot stand for itself")
	}
	f.unname()
	m.endEntry()
	f.apply(m)
	return tea.Batch(m.keep(func(to FilterKeeper) error { return to.Save(name, text) }), m.say("saved: @"+safe.Line(name)+" filters like this from now on"))
}

// forget takes the chosen line out of the list of filters.
func (f *filterLine) forget(m *Model) tea.Cmd {
	d := &f.drop
	if d.mode != dropKept || d.at < 0 || d.at >= len(d.items) {
		return nil
	}
	it := d.items[d.at]
	name, saved := strings.CutPrefix(it.insert, "@")
	saved = saved && f.kept.saved[name] != ""
	var cmd tea.Cmd
	if saved {
		delete(f.kept.saved, name)
		cmd = m.keep(func(to FilterKeeper) error { return to.Save(name, "") })
	} else {
		f.kept.used = slices.DeleteFunc(f.kept.used, func(s string) bool { return s == it.insert })
		cmd = m.keep(func(to FilterKeeper) error { return to.Forget(it.insert) })
	}
	at := d.at
	d.list(m)
	d.at = min(at, len(d.items)-1)
	return cmd
}
