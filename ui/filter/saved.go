package filter

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	lang "midwire/session/filter"
	"midwire/session/safe"
)

// Keeper keeps filters from one run to the next. Its methods are called
// from commands, one at a time.
type Keeper interface {
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

// earlier is what is known of earlier filters.
type earlier struct {
	used  []string // the latest at the end
	saved map[string]string
	work  []func(Keeper) error // still to be told to the keeper
	busy  bool
}

func (k *earlier) named(name string) string { return k.saved[name] }

// any says whether there is one.
func (k *earlier) any() bool { return len(k.used)+len(k.saved) > 0 }

// item offers a saved filter.
func (k *earlier) item(name string) dropItem {
	return dropItem{insert: "@" + name, show: safe.Line("@" + name), note: safe.Line(k.saved[name])}
}

// names are those of the saved filters, in order.
func (k *earlier) names() []string {
	return slices.Sorted(maps.Keys(k.saved))
}

type (
	// LoadedMsg brings the filters of earlier runs.
	LoadedMsg struct {
		used  []string
		saved map[string]string
		err   error
	}
	// KeptMsg says that the keeper has done what it was told.
	KeptMsg struct{ err error }
)

// Take takes a message that a command of the line sent.
func (f *Line) Take(h Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case LoadedMsg:
		return f.takeLoaded(h, msg)
	case KeptMsg:
		return f.takeKept(h, msg)
	case CountMsg:
		f.drop.facets.busy = false
	}
	return nil
}

// Load asks for the filters of earlier runs.
func (f *Line) Load() tea.Cmd {
	keeper := f.keeper
	if keeper == nil {
		return nil
	}
	return func() tea.Msg {
		used, saved, err := keeper.Load()
		return LoadedMsg{used, saved, err}
	}
}

func (f *Line) takeLoaded(h Host, msg LoadedMsg) tea.Cmd {
	k := &f.kept
	if msg.err != nil {
		return h.Complain(safe.Line("filters of earlier runs cannot be read: " + msg.err.Error()))
	}
	k.used = append(msg.used, k.used...)
	for name, text := range msg.saved {
		if _, ok := k.saved[name]; !ok && lang.GoodName(name) {
			k.put(name, text)
		}
	}
	return nil
}

func (k *earlier) put(name, text string) {
	if k.saved == nil {
		k.saved = map[string]string{}
	}
	k.saved[name] = text
}

// keep tells the keeper, one thing after the other.
func (f *Line) keep(do func(Keeper) error) tea.Cmd {
	if f.keeper == nil {
		return nil
	}
	k := &f.kept
	if do != nil {
		k.work = append(k.work, do)
	}
	if k.busy || len(k.work) == 0 {
		return nil
	}
	work, keeper := k.work[0], f.keeper
	k.work, k.busy = k.work[1:], true
	return func() tea.Msg { return KeptMsg{work(keeper)} }
}

func (f *Line) takeKept(h Host, msg KeptMsg) tea.Cmd {
	f.kept.busy = false
	next := f.keep(nil)
	if msg.err != nil {
		return tea.Batch(next, h.Complain(safe.Line("the filter is not kept: "+msg.err.Error())))
	}
	return next
}

// Use puts a filter at the end of those used.
func (f *Line) Use(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	k := &f.kept
	k.used = append(slices.DeleteFunc(k.used, func(s string) bool { return s == text }), text)
	k.used = k.used[max(0, len(k.used)-maxUsed):]
	return f.keep(func(to Keeper) error { return to.Use(text) })
}

// askName asks under which name to save the filter.
func (f *Line) askName(h Host) tea.Cmd {
	text := strings.TrimSpace(f.Text())
	if err := lang.Check(text, f.kept.named); err != nil {
		return h.Complain("only a filter that is right can be saved: " + safe.Line(err.Error()))
	}
	f.naming, f.named = true, text
	f.drop.close()
	f.input.SetValue("")
	return nil
}

func (f *Line) unname() {
	f.naming = false
	f.input.Write(f.named)
}

// nameKey takes a key while a name is typed.
func (f *Line) nameKey(h Host, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		f.unname()
		f.drop.update(f)
		return nil
	case "enter":
		return f.saveAs(h, strings.TrimSpace(f.Text()))
	case "up", "down", "tab":
		return nil
	}
	return f.Update(h, k)
}

func (f *Line) saveAs(h Host, name string) tea.Cmd {
	name = strings.TrimPrefix(name, "@")
	if !lang.GoodName(name) {
		return h.Complain("a name has letters, digits, - and _, 40 at most")
	}
	text := f.named
	old := f.kept.saved[name]
	f.kept.put(name, text)
	if err := lang.Check("@"+name, f.kept.named); err != nil {
		if f.kept.put(name, old); old == "" {
			delete(f.kept.saved, name)
		}
		return h.Complain("@" + safe.Line(name) + " cannot stand for itself")
	}
	f.End()
	f.apply(h)
	saved := "saved: @" + safe.Line(name) + " filters like this from now on"
	return tea.Batch(f.keep(func(to Keeper) error { return to.Save(name, text) }), h.Say(saved))
}

// forget takes the chosen line out of the list of filters.
func (f *Line) forget(h Host) tea.Cmd {
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
		cmd = f.keep(func(to Keeper) error { return to.Save(name, "") })
	} else {
		f.kept.used = slices.DeleteFunc(f.kept.used, func(s string) bool { return s == it.insert })
		cmd = f.keep(func(to Keeper) error { return to.Forget(it.insert) })
	}
	at := d.at
	f.listEarlier(h)
	d.at = min(at, len(d.items)-1)
	return cmd
}
