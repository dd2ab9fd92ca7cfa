// Package syntax reads configuration files for their values and for where those
// stand, so that one value can be changed and every other byte stays. It knows
// JSON with comments, TOML and YAML, and prints none of them: what is put in is
// spliced between the bytes that are there.
package syntax

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Format is how a file is written.
type Format string

// The formats. JSON takes comments and trailing commas: who reads the file
// decides whether it may have them.
const (
	JSON Format = "json"
	TOML Format = "toml"
	YAML Format = "yaml"
)

// Kind is what a value is.
type Kind uint8

// The kinds of values.
const (
	Other  Kind = iota // a number, a boolean, a date, null, a text with a tag
	String             // a text
	List
	Map
)

// Node is a value of a file. Positions count from the first byte after a byte
// order mark.
type Node struct {
	Kind Kind
	// Text is a string without its quotes, or the spelling of an Other.
	Text string
	// Mark is an anchor, an alias or a tag: what makes a value more than it says.
	Mark string
	// From is the first byte. To is the byte after the last one, 0 where it is
	// not known: for maps, lists, and texts of several lines in YAML.
	From, To int
	// Block is set for a list of YAML with a line for each item.
	Block   bool
	Members []Member // of a Map
	Items   []*Node  // of a List
}

// Member is a name in a map, and its value.
type Member struct {
	Name  string
	Value *Node
	// From is the first byte of the name, of a dotted one (TOML) too; Last is
	// the first byte of its last part and To is the byte after it.
	From, Last, To int
	// Inline is set where a comma divides members, and not the end of a line.
	Inline bool
}

// Get returns the value at a path, or nil.
func (n *Node) Get(path ...string) *Node {
	for _, name := range path {
		m := n.Member(name)
		if m == nil {
			return nil
		}
		n = m.Value
	}
	return n
}

// Member returns a member of a map, or nil.
func (n *Node) Member(name string) *Member {
	if n == nil || n.Kind != Map {
		return nil
	}
	if i := slices.IndexFunc(n.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
		return &n.Members[i]
	}
	return nil
}

// Marked reports whether a value, or one in it, is more than it says: it has an
// anchor, or is an alias.
func (n *Node) Marked() bool {
	return n.Mark != "" || slices.ContainsFunc(n.Items, (*Node).Marked) ||
		slices.ContainsFunc(n.Members, func(m Member) bool { return m.Value.Marked() })
}

// Equal compares values, and the order in which they stand.
func (n *Node) Equal(o *Node) bool {
	return n.Kind == o.Kind && n.Text == o.Text && n.Mark == o.Mark &&
		slices.EqualFunc(n.Items, o.Items, (*Node).Equal) &&
		slices.EqualFunc(n.Members, o.Members, func(a, b Member) bool {
			return a.Name == b.Name && a.Value.Equal(b.Value)
		})
}

// Clone copies a value.
func (n *Node) Clone() *Node {
	c := *n
	c.Items, c.Members = slices.Clone(n.Items), slices.Clone(n.Members)
	for i := range c.Items {
		c.Items[i] = c.Items[i].Clone()
	}
	for i := range c.Members {
		c.Members[i].Value = c.Members[i].Value.Clone()
	}
	return &c
}

// Text makes a string of no file.
func Text(s string) *Node { return &Node{Kind: String, Text: s} }

// File is a file that was read.
type File struct {
	Format Format
	Root   *Node
	bom    []byte
	data   []byte // without bom
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// Parse reads a file. What it does not understand wholly is an error: a fault of
// the grammar, a name that stands twice in a map, several documents.
func Parse(format Format, data []byte) (*File, error) {
	f := &File{Format: format, data: data}
	if rest, ok := bytes.CutPrefix(data, byteOrderMark); ok {
		f.bom, f.data = data[:len(byteOrderMark)], rest
	}
	if !utf8.Valid(f.data) {
		return nil, errors.New("the text is not UTF-8")
	}
	parse := map[Format]func([]byte) (*Node, error){JSON: parseJSON, TOML: parseTOML, YAML: parseYAML}[format]
	if parse == nil {
		return nil, fmt.Errorf("%q is no format", format)
	}
	var err error
	if f.Root, err = parse(f.data); err == nil {
		err = f.Root.checkNames("")
	}
	return f, err
}

// checkNames checks that no name stands twice in a map.
func (n *Node) checkNames(in string) error {
	seen := make(map[string]bool, len(n.Members))
	for _, m := range n.Members {
		if seen[m.Name] {
			return fmt.Errorf("%q stands twice in %s", m.Name, cmp.Or(in, "the file"))
		}
		seen[m.Name] = true
		if err := m.Value.checkNames(fmt.Sprintf("%q", m.Name)); err != nil {
			return err
		}
	}
	for _, item := range n.Items {
		if err := item.checkNames(in); err != nil {
			return err
		}
	}
	return nil
}

// Raw is the spelling of a value whose end is known.
func (f *File) Raw(n *Node) []byte { return f.data[n.From:n.To] }

// lineAt is the line, counted from 1, of a byte.
func lineAt(data []byte, at int) int { return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n")) }
