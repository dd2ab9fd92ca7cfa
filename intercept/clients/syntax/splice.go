package syntax

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Splice puts text instead of the bytes From to To.
type Splice struct {
	From, To int
	Text     []byte
}

// Replace is the splice that puts another spelling instead of a value.
func (f *File) Replace(n *Node, raw []byte) Splice { return Splice{n.From, n.To, raw} }

// Apply returns the file with all splices made. They may not overlap.
func (f *File) Apply(splices ...Splice) []byte {
	slices.SortFunc(splices, func(a, b Splice) int { return cmp.Compare(a.From, b.From) })
	out, at := bytes.Clone(f.bom), 0
	for _, s := range splices {
		out = append(append(out, f.data[at:s.From]...), s.Text...)
		at = s.To
	}
	return append(out, f.data[at:]...)
}

// Quote spells a text without control characters in all of the formats.
func Quote(s string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has no error
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// errForm is for what can be written in a way that this package does not splice.
var errForm = errors.New("it is written in a way that midwire does not edit")

// blanksBefore are the blanks before a position; with the end of the line before
// them if nothing else stands before them in their line.
func (f *File) blanksBefore(at int) (blanks string, newLine bool) {
	from := at
	for from > 0 && (f.data[from-1] == ' ' || f.data[from-1] == '\t') {
		from--
	}
	blanks = string(f.data[from:at])
	if from == 0 || f.data[from-1] == '\n' {
		return f.newLine() + blanks, true
	}
	return blanks, false
}

// newLine is how the file ends its lines: as its first.
func (f *File) newLine() string {
	if i := bytes.IndexByte(f.data, '\n'); i > 0 && f.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Prepend puts values before the first one of a list, laid out as that is.
func (f *File) Prepend(list *Node, raws ...[]byte) (Splice, error) {
	if len(list.Items) == 0 {
		if list.Block || list.From >= len(f.data) || f.data[list.From] != '[' {
			return Splice{}, errForm
		}
		at := list.From + 1
		return Splice{at, at, bytes.Join(raws, []byte(", "))}, nil
	}
	at := list.Items[0].From
	sep, newLine := f.blanksBefore(at)
	if list.Block {
		dash := bytes.LastIndexByte(f.data[:at], '-')
		if dash < 0 || strings.Trim(string(f.data[dash+1:at]), " ") != "" {
			return Splice{}, errForm
		}
		return f.spliceBefore(at, f.newLine()+strings.Repeat(" ", f.column(dash))+string(f.data[dash:at]), raws), nil
	}
	if !newLine {
		sep = " "
		if len(list.Items) > 1 {
			if between, other := f.blanksBefore(list.Items[1].From); !other {
				sep = between
			}
		}
	}
	return f.spliceBefore(at, ","+sep, raws), nil
}

func (f *File) spliceBefore(at int, sep string, raws [][]byte) Splice {
	return Splice{at, at, append(bytes.Join(raws, []byte(sep)), sep...)}
}

// column counts the characters before a position in its line.
func (f *File) column(at int) int {
	return len([]rune(string(f.data[bytes.LastIndexByte(f.data[:at], '\n')+1 : at])))
}

// DropItems takes the first n values of a list out, as Prepend puts them in.
func (f *File) DropItems(list *Node, n int) (Splice, error) {
	s := Splice{From: list.Items[0].From}
	if n < len(list.Items) {
		s.To = list.Items[n].From
		return s, nil
	}
	s.To = list.Items[n-1].To
	if list.Block || s.To == 0 {
		return s, errForm
	}
	return s, nil
}

// Insert puts a list before a member of a map, under its own name.
func (f *File) Insert(m *Member, name string, raws ...[]byte) (Splice, error) {
	sep, newLine := f.blanksBefore(m.From)
	prefix := string(f.data[m.From:m.Last])
	list := "[" + string(bytes.Join(raws, []byte(", "))) + "]"
	var text string
	switch {
	case f.Format == JSON:
		text = string(Quote(name)) + f.assign(m, ": ") + list + "," + sep
	case f.Format == TOML && m.Inline:
		text = prefix + name + f.assign(m, " = ") + list + ", "
	case f.Format == TOML && newLine:
		text = prefix + name + f.assign(m, " = ") + list + sep
	case m.Inline:
		text = name + ": " + list + ", "
	case f.Format == YAML:
		before := f.data[bytes.LastIndexByte(f.data[:m.From], '\n')+1 : m.From]
		if len(bytes.Trim(before, " -")) > 0 { // as a member of a list's item stands it
			return Splice{}, errForm
		}
		in := f.newLine() + strings.Repeat(" ", len(before))
		text = name + ":" + in + "  - " + string(bytes.Join(raws, []byte(in+"  - "))) + in
	default:
		return Splice{}, errForm
	}
	return Splice{m.From, m.From, []byte(text)}, nil
}

// assign is what stands between the name of a member and its value, if that is
// a sign and blanks alone.
func (f *File) assign(m *Member, usual string) string {
	text := string(f.data[m.To:m.Value.From])
	if strings.Trim(text, " \t") == strings.TrimSpace(usual) {
		return text
	}
	return usual
}

// DropMember takes a member out that Insert has put before another.
func (f *File) DropMember(in *Node, m, before *Member) (Splice, error) {
	i := slices.IndexFunc(in.Members, func(o Member) bool { return o.Name == m.Name })
	if i+1 >= len(in.Members) || in.Members[i+1].Name != before.Name {
		return Splice{}, errForm
	}
	return Splice{From: m.From, To: before.From}, nil
}
