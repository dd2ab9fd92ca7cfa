package syntax

import "bytes"

// MapOf makes a map of no file.
func MapOf(members ...Member) *Node { return &Node{Kind: Map, Members: members} }

// Put returns a map with a member set: in place of one of that name, or as the
// last. The map itself stays as it is.
func (n *Node) Put(name string, value *Node) *Node {
	out := MapOf()
	if n != nil && n.Kind == Map {
		out.Members = append(out.Members, n.Members...)
	}
	if m := out.Member(name); m != nil {
		m.Value = value
		return out
	}
	out.Members = append(out.Members, Member{Name: name, Value: value})
	return out
}

// Overlay returns a map with all of n, and over it all of top: maps become one, of
// other values that of top stays.
func (n *Node) Overlay(top *Node) *Node {
	if n == nil || n.Kind != Map || top.Kind != Map {
		return top
	}
	out := n
	for _, m := range top.Members {
		out = out.Put(m.Name, n.Get(m.Name).Overlay(m.Value))
	}
	return out
}

// JSON prints a value that was read from JSON, for programs: without comments,
// in one line.
func (n *Node) JSON() []byte {
	var out bytes.Buffer
	n.json(&out)
	return out.Bytes()
}

func (n *Node) json(out *bytes.Buffer) {
	switch n.Kind {
	case String:
		out.Write(Quote(n.Text))
	case List:
		out.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				out.WriteByte(',')
			}
			item.json(out)
		}
		out.WriteByte(']')
	case Map:
		out.WriteByte('{')
		for i, m := range n.Members {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(Quote(m.Name))
			out.WriteByte(':')
			m.Value.json(out)
		}
		out.WriteByte('}')
	default:
		out.WriteString(n.Text)
	}
}
