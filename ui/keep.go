package ui

import (
	"midwire/ui/library"

	tea "charm.land/bubbletea/v2"
)

// keepKeys are those for notes, for the order of the list, and for going from
// place to place.
func keepKeys() []binding {
	return []binding{
		{actComment, inList, []string{";"}, ";", "", "comment on a message", act},
		{actComment, inDetail, []string{";"}, "", "", "", ""},
		{actSort, inList, []string{"o"}, "o O", "", "order: column, reversed", look},
		{actReverse, inList, []string{"O"}, "", "", "", ""},
		{actOther, inList, []string{"%"}, "%", "", "answer, what belongs to it", move},
		{actOther, inDetail, []string{"%"}, "", "", "", ""},
		{actReturn, inList, []string{"'", "backspace"}, "'", "", "back to where you were", move},
		{actReturn, inDetail, []string{"'", "backspace"}, "", "", "", ""},
		{actReturn, inTree, []string{"'", "backspace"}, "", "", "", ""},
	}
}

// keepDo carries out those, and what changes recordings; mine is false for any
// other action.
func (m *Model) keepDo(a action) (cmd tea.Cmd, mine bool) {
	switch a {
	case actComment:
		return m.askComment(), true
	case actName:
		return m.askName(), true
	case actDelete:
		return m.askDelete(), true
	case actFindNode:
		return m.asking.ask(askTree, m.tree.Text), true
	case actSort:
		m.list.OrderNext()
	case actReverse:
		m.list.Reverse()
	case actOther:
		return m.toOther(), true
	case actReturn:
		return m.goBack(), true
	default:
		return nil, false
	}
	return nil, true
}

// usefulInTree says whether a key would do something about the selected line
// of the tree.
func (m *Model) usefulInTree(a action) bool {
	n := m.tree.Selected()
	switch {
	case a == actFindNode:
		return len(m.tree.Nodes) > 3
	case n == nil || m.rec(n.Rec) == nil:
		return false
	case a == actDelete:
		return m.opts.Notebook != nil && !m.rec(n.Rec).Live && n.Sess == library.AllSessions
	}
	return true
}
