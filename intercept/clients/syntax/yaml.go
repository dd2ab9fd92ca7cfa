package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlReader turns what the parser says, lines and columns of beginnings, into
// positions. It believes only what it finds there.
type yamlReader struct {
	data  []byte
	lines []int // where they begin
}

func parseYAML(data []byte) (*Node, error) {
	// Some readers break lines there, and others do not.
	if bytes.ContainsAny(data, "\u0085\u2028\u2029") || bytes.Count(data, []byte("\r")) > bytes.Count(data, []byte("\r\n")) {
		return nil, errors.New("it has line breaks that not all readers of YAML take for some")
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := d.Decode(&doc); err == io.EOF {
		return &Node{Kind: Map}, nil
	} else if err != nil {
		return nil, err
	}
	if err := d.Decode(&more); err == nil {
		return nil, errors.New("it holds several documents")
	} else if err != io.EOF {
		return nil, err
	}
	r := yamlReader{data: data, lines: []int{0}}
	for i, c := range data {
		if c == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("it holds no value")
	}
	return r.node(doc.Content[0], 0)
}

// place is the position of a line and a column, which counts characters.
func (r *yamlReader) place(line, column int) int {
	if line < 1 || line > len(r.lines) {
		return len(r.data)
	}
	at := r.lines[line-1]
	for ; column > 1 && at < len(r.data); column-- {
		_, n := utf8.DecodeRune(r.data[at:])
		at += n
	}
	return at
}

func (r *yamlReader) node(y *yaml.Node, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, errors.New("it is nested too deeply")
	}
	n := &Node{From: r.place(y.Line, y.Column), Mark: y.Anchor}
	if y.Style&yaml.TaggedStyle != 0 {
		n.Mark += y.Tag
	}
	flow := y.Style&yaml.FlowStyle != 0
	switch y.Kind {
	case yaml.MappingNode:
		n.Kind = Map
		for pair := range slices.Chunk(y.Content, 2) {
			if err := r.member(n, pair[0], pair[1], flow, depth); err != nil {
				return nil, err
			}
		}
	case yaml.SequenceNode:
		n.Kind, n.Block = List, !flow
		for _, c := range y.Content {
			item, err := r.node(c, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
	case yaml.AliasNode:
		n.Text, n.Mark = y.Value, "*"+y.Value
	default:
		n.Text, n.To = y.Value, r.end(y, n.From)
		if y.ShortTag() == "!!str" {
			n.Kind = String
		} else {
			n.Text = y.ShortTag() + " " + y.Value
		}
	}
	return n, nil
}

func (r *yamlReader) member(n *Node, key, value *yaml.Node, flow bool, depth int) error {
	at := r.place(key.Line, key.Column)
	if key.Kind == yaml.ScalarNode && key.Anchor == "" && key.Style&yaml.TaggedStyle == 0 {
		v, err := r.node(value, depth+1)
		name := key.Value
		if key.ShortTag() != "!!str" { // 1 and "1" are two
			name = key.ShortTag() + " " + name
		}
		n.Members = append(n.Members, Member{
			Name: name, Value: v, From: at, Last: at, To: r.end(key, at), Inline: flow,
		})
		return err
	}
	return fmt.Errorf("line %d: a name that is not a plain word", key.Line)
}

// end is the byte after a scalar that begins at a position; 0 for one of several
// lines, and where something else stands than the parser said.
func (r *yamlReader) end(y *yaml.Node, from int) int {
	rest := r.data[from:]
	switch {
	case y.Anchor != "" || y.Style&yaml.TaggedStyle != 0:
		return 0
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 0
	case y.Style&yaml.DoubleQuotedStyle != 0:
		return quoted(rest, from, '"', '\\')
	case y.Style&yaml.SingleQuotedStyle != 0:
		return quoted(rest, from, '\'', '\'')
	case y.Value != "" && bytes.HasPrefix(rest, []byte(y.Value)) && !strings.Contains(y.Value, "\n"):
		return from + len(y.Value)
	}
	return 0
}

// quoted finds the end of a quoted text of one line. Escape takes away the
// meaning of the byte after it.
func quoted(b []byte, from int, quote, escape byte) int {
	if len(b) == 0 || b[0] != quote {
		return 0
	}
	for i := 1; i < len(b) && b[i] != '\n'; i++ {
		switch {
		case b[i] == escape && i+1 < len(b) && (escape != quote || b[i+1] == quote):
			i++
		case b[i] == quote:
			return from + i + 1
		}
	}
	return 0
}
