package syntax

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlReader builds the tree of a TOML file: tables, dotted names and inline
// tables are all maps.
type tomlReader struct {
	data  []byte
	p     unstable.Parser
	table *Node // that the names of the next lines belong to
}

func parseTOML(data []byte) (*Node, error) {
	var whole map[string]any // finds what is defined twice, and every other fault of meaning
	if err := toml.Unmarshal(data, &whole); err != nil {
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := at.Position()
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		return nil, err
	}
	root := &Node{Kind: Map}
	r := tomlReader{data: data, table: root}
	r.p.Reset(data)
	for r.p.NextExpression() {
		e := r.p.Expression()
		var err error
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			r.table, err = r.header(root, e)
		case unstable.KeyValue:
			err = r.keyValue(r.table, e, false)
		}
		if err != nil {
			return nil, err
		}
	}
	return root, r.p.Error()
}

// enter returns the map of a name, and makes it where it is not there. Of a
// list of tables it is the last.
func enter(n *Node, m Member) (*Node, error) {
	if there := n.Member(m.Name); there != nil {
		n = there.Value
		if n.Kind == List && len(n.Items) > 0 {
			n = n.Items[len(n.Items)-1]
		}
		if n.Kind != Map {
			return nil, fmt.Errorf("%q is defined twice", m.Name)
		}
		return n, nil
	}
	m.Value = &Node{Kind: Map, From: m.From}
	n.Members = append(n.Members, m)
	return m.Value, nil
}

func (r *tomlReader) header(n *Node, e *unstable.Node) (*Node, error) {
	parts := r.names(e)
	for i, m := range parts {
		if i < len(parts)-1 || e.Kind == unstable.Table {
			var err error
			if n, err = enter(n, m); err != nil {
				return nil, err
			}
			continue
		}
		table := &Node{Kind: Map, From: m.From}
		if there := n.Member(m.Name); there != nil {
			there.Value.Items = append(there.Value.Items, table)
		} else {
			m.Value = &Node{Kind: List, From: m.From, Items: []*Node{table}}
			n.Members = append(n.Members, m)
		}
		n = table
	}
	return n, nil
}

// names are the parts of a dotted name, each as a member without a value.
func (r *tomlReader) names(e *unstable.Node) (parts []Member) {
	for it := e.Key(); it.Next(); {
		k := it.Node()
		from := int(k.Raw.Offset)
		m := Member{Name: string(k.Data), From: from, Last: from, To: from + int(k.Raw.Length)}
		if len(parts) > 0 {
			m.From = parts[0].From
		}
		parts = append(parts, m)
	}
	return parts
}

func (r *tomlReader) keyValue(n *Node, e *unstable.Node, inline bool) error {
	parts := r.names(e)
	last := len(parts) - 1
	for _, m := range parts[:last] {
		var err error
		if n, err = enter(n, m); err != nil {
			return err
		}
	}
	m := parts[last]
	m.Inline = inline
	from := m.To + bytes.IndexByte(r.data[m.To:], '=') + 1
	for from < len(r.data) && (r.data[from] == ' ' || r.data[from] == '\t') {
		from++
	}
	var err error
	m.Value, err = r.value(e.Value(), from)
	n.Members = append(n.Members, m)
	return err
}

// value reads a value; from is where it begins, for a list or a map, which do
// not say so themselves.
func (r *tomlReader) value(v *unstable.Node, from int) (*Node, error) {
	n := &Node{From: from}
	switch v.Kind {
	case unstable.Array:
		n.Kind = List
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			item, err := r.value(it.Node(), 0)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
	case unstable.InlineTable:
		n.Kind = Map
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			if err := r.keyValue(n, it.Node(), true); err != nil {
				return nil, err
			}
		}
	default:
		n.From = int(v.Raw.Offset)
		n.To = n.From + int(v.Raw.Length)
		n.Text = string(v.Data)
		if v.Kind == unstable.String {
			n.Kind = String
		}
	}
	return n, nil
}
