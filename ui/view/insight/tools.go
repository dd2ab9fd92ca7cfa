package insight

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	lang "midwire/session/filter"
	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// toolsView lists the tools, prompts or resources that a server offers, and how
// their calls went.
type toolsView struct {
	halves
	kind   insight.Kind
	order  itemOrder
	list   insight.List
	rows   []itemRow
	stamp  int                   // of the findings in rows
	full   bool                  // there is no room for it beside the list
	defDoc document.Doc          // of defOf
	defOf  itemDefinition        // what defDoc shows
	shown  [insight.Kinds]string // selected by name
}

type itemDefinition struct {
	name string
	n    uint64
	w    int
	look int
}

type itemRow struct {
	*insight.Item
	label safe.Text
	found []foundRule
	marks itemMarks
}

// foundRule is a rule that fired on calls of an item, and how often.
type foundRule struct {
	rule *diagnose.Rule
	at   diagnose.Severity
	n    int
}

// itemMarks are the hints in a definition (2025-03-26, server/tools:
// annotations).
type itemMarks struct{ readOnly, destructive bool }

type itemOrder uint8

const (
	byCalls itemOrder = iota
	byErrors
	bySlowness
	byTokens
	byName
	asListed
	itemOrders
)

func (o itemOrder) String() safe.Text {
	return [...]safe.Text{"most calls first", "worst first", "slowest first", "largest first", "by name", "as listed"}[o]
}

func (v *toolsView) Area() keymap.Area { return keymap.Tools }
func (v *toolsView) Refresh(h view.Host) tea.Cmd {
	if v.answered && v.stamp != h.Scope().Rec.Findings.Stamp {
		v.arrange(h)
	}
	return v.reader.Refresh(h, v)
}

func (v *toolsView) Name() safe.Text { return itemWord(v.kind) + "s" }

func itemWord(k insight.Kind) safe.Text {
	return [...]safe.Text{"tool", "prompt", "resource"}[k]
}

func (v *toolsView) Question(h view.Host) reading.Question {
	q := reading.Question{Scope: h.Scope()}
	q.Kind = v.kind
	return q
}

func (v *toolsView) Ask(q reading.Question, b *insight.Book) func(view.Host) {
	list := b.Items(q.Kind, q.Session)
	return func(h view.Host) {
		v.list, v.answered = list, true
		v.arrange(h)
	}
}

// arrange makes the rows anew. The selection stays with its item.
func (v *toolsView) arrange(h view.Host) {
	was := v.shown[v.kind]
	if it := v.selected(); it != nil {
		was = string(it.label)
	}
	found := foundByItem(h.Scope(), v.kind)
	v.stamp = h.Scope().Rec.Findings.Stamp
	v.rows = make([]itemRow, len(v.list.Items))
	for i := range v.list.Items {
		it := &v.list.Items[i]
		v.rows[i] = itemRow{
			Item: it, label: safe.Line(it.Name), found: found[it.Name], marks: readMarks(it.Definition),
		}
	}
	v.sort()
	v.Lines.Lines = len(v.rows)
	view.Select(&v.Lines, v.rows, func(r *itemRow) bool { return string(r.label) == was })
}

func (v *toolsView) sort() {
	slices.SortStableFunc(v.rows, func(a, b itemRow) int {
		switch v.order {
		case byErrors:
			return cmp.Or(cmp.Compare(b.Bad(), a.Bad()), cmp.Compare(b.Calls, a.Calls))
		case bySlowness:
			return cmp.Or(cmp.Compare(b.P95, a.P95), cmp.Compare(b.Calls, a.Calls))
		case byTokens:
			return cmp.Compare(b.Size, a.Size)
		case byName:
			return cmp.Compare(a.Name, b.Name)
		case byCalls:
			return cmp.Compare(b.Calls, a.Calls)
		}
		return 0
	})
}

func readMarks(def []byte) itemMarks {
	notes := wire.Get(def, "annotations")
	return itemMarks{
		readOnly:    string(wire.Get(notes, "readOnlyHint")) == "true",
		destructive: string(wire.Get(notes, "destructiveHint")) == "true",
	}
}

var itemMethods = [insight.Kinds]string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead}

// foundByItem counts the findings by the item whose calls
// they are about, the worst first.
func foundByItem(s library.Scope, kind insight.Kind) map[string][]foundRule {
	out := map[string][]foundRule{}
	r := s.Rec
	for _, f := range r.Findings.All {
		if s.Session >= 0 && f.Session != s.Session {
			continue
		}
		for _, name := range itemsOf(r, f, kind) {
			i := slices.IndexFunc(out[name], func(g foundRule) bool { return g.rule == f.Rule })
			if i < 0 {
				out[name] = append(out[name], foundRule{f.Rule, f.Severity, f.Count})
				continue
			}
			out[name][i].n += f.Count
		}
	}
	for _, g := range out {
		slices.SortStableFunc(g, func(a, b foundRule) int { return cmp.Compare(a.at, b.at) })
	}
	return out
}

// itemsOf are the items that a finding is about: those whose calls it points
// at, and where it points at a list its Items.
func itemsOf(r *library.Recording, f *diagnose.Finding, kind insight.Kind) (out []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, n := range f.Frames {
		add(itemAt(r, n, kind))
	}
	if kind == insight.Tool && len(out) == 0 {
		return f.Items
	}
	return out
}

// itemAt is the item that frame n asks for, or answers about; "" for none.
func itemAt(r *library.Recording, n uint64, kind insight.Kind) string {
	row := r.RowAt(n)
	if row < 0 || row >= r.Texts.Len() || r.Tracker.Name(r.Tracker.Row(row).Name) != itemMethods[kind] {
		return ""
	}
	name, _, _ := strings.Cut(r.Texts.Of(row).Target, " ")
	return name
}

func (v *toolsView) selected() *itemRow {
	return view.Selected(&v.Lines, v.rows)
}

var _ view.Split = (*toolsView)(nil)

// NewTools is the view of tools, prompts and resources.
func NewTools(r *reading.Reader) view.View { return &toolsView{halves: halves{base: base{reader: r}}} }

func (v *toolsView) Commands(h view.Host) []keymap.Command {
	it := v.selected()
	chosen := keymap.Unless(it != nil, "nothing is selected")
	return []keymap.Command{
		keymap.Open("only the messages of it", "calls", chosen, func() tea.Cmd { return onlyItem(h, v.kind, it) }),
		{
			ID: "tools.call", Key: keymap.Bind("r", "r", "call it, with arguments by its schema"), Title: "call the tool", Words: "send arguments form try", Hint: "call it",
			Group: keymap.Act, Why: v.whyNotCall, Run: func() tea.Cmd {
				return h.Do(view.CallTool{Name: it.Name, Schema: wire.Get(it.Definition, "inputSchema"), Listed: it.Listed})
			},
		},
		keymap.Pane("the definition, the list", "definition", chosen, v.Turn),
		keymap.Order("by calls, errors, time, …", keymap.When(len(v.rows) > 1, "order"), func() {
			v.order = (v.order + 1) % itemOrders
			v.arrange(h)
		}),
		keymap.Switch("tools, prompts, resources", itemWord((v.kind+1)%insight.Kinds)+"s", v.nextKind),
		keymap.Copy("copy the definition", keymap.When(it != nil, "copy"), chosen, func() tea.Cmd { return v.copy(h) }),
	}
}

func (v *toolsView) whyNotCall() safe.Text {
	switch it := v.selected(); {
	case it == nil:
		return "nothing is selected"
	case v.kind != insight.Tool:
		return "only tools are called from here"
	case it.Definition == nil || it.Listed == 0:
		return "its definition is not in this recording"
	}
	return ""
}

// nextKind shows prompts instead of tools, and so on.
func (v *toolsView) nextKind() {
	if it := v.selected(); it != nil {
		v.shown[v.kind] = string(it.label)
	}
	v.kind = (v.kind + 1) % insight.Kinds
	v.list, v.rows, v.answered, v.Reading = insight.List{}, nil, false, false
	v.Lines = view.Scroller{Height: v.Lines.Height}
}

func (v *toolsView) copy(h view.Host) tea.Cmd {
	it := v.selected()
	if it == nil || it.Definition == nil {
		return h.Complain("there is no definition to copy")
	}
	return h.Copy(string(it.Definition), "definition of "+it.Name)
}

// onlyItem shows nothing but the calls of an item.
func onlyItem(h view.Host, kind insight.Kind, it *itemRow) tea.Cmd {
	switch {
	case it == nil:
		return nil
	case it.First == 0 && it.Listed != 0:
		return h.Jump(h.Scope().Rec, it.Listed)
	case it.First == 0:
		return h.Complain("it was never called")
	}
	text := "tool=" + lang.Quote(it.Name)
	if kind != insight.Tool {
		text = "method:" + itemMethods[kind] + ` "` + strings.ReplaceAll(it.Name, `"`, "") + `"`
	}
	h.Do(view.ShowOnly{Scope: h.Scope(), Filter: text, Frame: it.First})
	return nil
}

func (v *toolsView) Told(h view.Host) safe.Text {
	return scopeWords(h.Scope()) + ", " + v.order.String()
}
