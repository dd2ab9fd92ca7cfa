package palette

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	lang "midwire/session/filter"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/query"
	"midwire/ui/view"
)

// What is looked through at most to go to anything.
const (
	maxPlaces = 5000 // recordings and sessions, the newest
	maxRows   = 5000 // of the recording that is shown, for its tools
)

// NewAnything asks where to go: to sessions, tools, findings, frames and views,
// or what to do.
func NewAnything(h view.Host, all []Offer, recent *Recent) (*Picker, tea.Cmd) {
	here := slices.DeleteFunc(slices.Clone(all), func(o Offer) bool { return o.Rank == Elsewhere })
	p, cmd := newPicker(slices.Concat(findings(h), tools(h), places(h), here), recent)
	p.anything = true
	p.find("")
	return p, cmd
}

// goTo is an offer to go somewhere, with what it is.
func goTo(what, title, words safe.Text, run func() tea.Cmd) Offer {
	return Offer{Command: keymap.Command{Title: title, Words: words + " " + what, Run: run}, what: what}
}

// places are the sessions of all recordings, the newest recording first.
func places(h view.Host) (out []Offer) {
	looked := 0
	for _, r := range slices.Backward(h.Scene().All) {
		whole := library.Scope{Rec: r, Session: library.AllSessions}
		show := func(of library.Scope) func() tea.Cmd {
			return func() tea.Cmd { return h.Do(view.ShowScope{Scope: of}) }
		}
		o := goTo("recording", r.Name(), safe.Line(r.ID+" "+r.Label+" "+r.Where), show(whole))
		o.Keys = placeNote(r)
		out = append(out, o)
		for _, s := range sessionsOf(r) {
			if looked++; looked > maxPlaces {
				return out
			}
			one := library.Scope{Rec: r, Session: s.Index}
			if !r.Opened {
				one = whole
			}
			words := s.ID + " " + query.PeerName(s.Client) + " " + query.PeerName(s.Server)
			o := goTo("session", sessionTitle(h, r, s), safe.Line(words), show(one))
			o.Keys = placeNote(r)
			out = append(out, o)
		}
	}
	return out
}

// sessionsOf are the sessions of a recording, or of its summary while it was
// not read.
func sessionsOf(r *library.Recording) []*session.Session {
	all := r.Tracker.Sessions()
	if len(all) == 0 && r.Summary != nil {
		for i := range r.Summary.Sessions {
			all = append(all, r.Summary.Sessions[i].Session())
		}
	}
	return all
}

// tools are those that were called in the recording that is shown, and in those
// that have summaries.
func tools(h view.Host) (out []Offer) {
	shown := h.Scene().Rec
	seen := map[string]bool{}
	add := func(r *library.Recording, name string) {
		if name == "" || seen[name] {
			return
		}
		seen[name] = true
		o := goTo("tool", safe.Line(name), "calls", func() tea.Cmd { return showTool(h, r, name) })
		o.Keys = "tool of " + r.Name()
		out = append(out, o)
	}
	if shown != nil {
		for i := max(0, shown.Tracker.Rows()-maxRows); i < shown.Tracker.Rows(); i++ {
			if row := shown.Tracker.Row(i); shown.Tracker.Name(row.Name) == mcp.ToolsCall {
				name, _, _ := strings.Cut(shown.Texts.Of(i).Target, " ")
				add(shown, name)
			}
		}
	}
	for _, r := range slices.Backward(h.Scene().All) {
		if r.Summary == nil {
			continue
		}
		for _, s := range r.Summary.Sessions {
			for _, t := range s.Tools {
				if len(seen) < maxPlaces {
					add(r, t.Name)
				}
			}
		}
	}
	return out
}

func showTool(h view.Host, r *library.Recording, name string) tea.Cmd {
	var open tea.Cmd
	if h.Scene().Rec != r {
		open = h.Do(view.ShowScope{Scope: library.Scope{Rec: r, Session: library.AllSessions}})
	}
	if !r.Loaded() {
		return open
	}
	return tea.Batch(open, h.Do(view.FilterBy{Text: "tool:" + lang.Quote(name)}))
}

// findings are what rules found: in what was read the finding itself, else the
// recording that has it.
func findings(h view.Host) (out []Offer) {
	for _, r := range slices.Backward(h.Scene().All) {
		add := func(title, rule string, run func() tea.Cmd) {
			if len(out) < maxPlaces {
				o := goTo("finding", safe.Line(title), safe.Line(rule+" problem rule"), run)
				o.Keys = "in " + r.Name()
				out = append(out, o)
			}
		}
		seen := map[string]bool{}
		for _, f := range r.Findings.All {
			if !seen[f.Rule.ID] && len(f.Frames) > 0 {
				seen[f.Rule.ID] = true
				add(f.Rule.Title, f.Rule.ID, func() tea.Cmd { return h.Jump(r, f.Frames[0]) })
			}
		}
		if r.Loaded() || r.Summary == nil {
			continue
		}
		for _, s := range r.Summary.Sessions {
			for _, f := range s.Findings {
				if !seen[f.Rule] {
					seen[f.Rule] = true
					add(f.Title, f.Rule, func() tea.Cmd {
						return h.Do(view.ShowScope{Scope: library.Scope{Rec: r, Session: library.AllSessions}})
					})
				}
			}
		}
	}
	return out
}

// offerAnything lists what fits the line: a number is a frame.
func (p *Picker) offerAnything(h view.Host) {
	text := strings.TrimSpace(p.text())
	p.find(text)
	if text != "" {
		one := searchOffer(h, text)
		one.what = "search"
		p.items = append(p.items, one)
	}
	if _, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 10, 32); err == nil {
		frame := gotoCommand(h, text)
		frame[0].what = "frame"
		p.items = append(frame, p.items...)
	}
}
