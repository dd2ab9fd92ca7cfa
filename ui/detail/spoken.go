package detail

import (
	"bytes"
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

const (
	resultLines   = 8   // of a text in a result
	maxArguments  = 20  // that are listed
	argumentBytes = 400 // of one
)

// writeArguments adds what was asked for as a person would write it, and returns
// where it stands in the JSON, nil when nothing was added.
func (m *Message) writeArguments(d *document.Doc, sc *library.Scene) []string {
	args, path := m.arguments()
	if len(args) == 0 || args[0] != '{' {
		return nil
	}
	if !hasMembers(args) {
		return nil
	}
	name := safe.Text("ARGUMENTS")
	if len(path) == 1 {
		name = "PARAMS"
	}
	label(d, sc, name)
	members(d, sc, args)
	return path
}

func hasMembers(raw []byte) (any bool) {
	wire.Each(raw, func(_, _ []byte) bool { any = true; return false })
	return any
}

// members adds the members of an object, each in a line.
func members(d *document.Doc, sc *library.Scene, raw []byte) {
	name, n := 0, 0
	wire.Each(raw, func(key, _ []byte) bool {
		if n++; n <= maxArguments {
			name = max(name, term.Width(safe.Bytes(key)))
		}
		return true
	})
	name = min(name, 20)
	i := 0
	wire.Each(raw, func(key, value []byte) bool {
		if i++; i > maxArguments {
			d.Text(sc.Theme.Dim, "  "+sc.Glyphs.Ellipsis+" "+term.Number(n-maxArguments)+" more in the JSON")
			return false
		}
		k := term.Shorten(safe.Bytes(key), name, sc.Glyphs)
		k += safe.Repeat(" ", name-term.Width(k)+2)
		d.AddWire(name+4, append([]term.Seg{term.S(sc.Theme.JSONKey, "  "+k)}, argument(sc, value)...))
		return true
	})
}

func argument(sc *library.Scene, value []byte) []term.Seg {
	var flat bytes.Buffer
	more := safe.Text("")
	if len(value) > argumentBytes {
		more = " " + sc.Glyphs.Ellipsis + " " + amount(int64(len(value)))
		value = bytes.ToValidUTF8(value[:argumentBytes], nil)
	}
	flat.Write(value)
	text := strings.Join(strings.FieldsFunc(flat.String(), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	text = document.ReadableJSON(text)
	out := document.JSONSegs(sc.Theme, text)
	if more != "" {
		out = append(out, term.S(sc.Theme.Dim, more))
	}
	return out
}

func label(d *document.Doc, sc *library.Scene, name safe.Text) {
	d.Text(sc.Theme.Faint, name)
}

// writeResult adds what came back as a person would read it, and returns what of
// the JSON was shown.
func (m *Message) writeResult(d *document.Doc, sc *library.Scene) (shown [][]string) {
	switch {
	case m.said.Kind == wire.MsgError:
		label(d, sc, "ERROR")
		text := wire.Text(wire.Get(m.said.Error, "message"))
		code := term.S(sc.Theme.Err, "  "+safe.Int(int(m.Row.Code))+"  ")
		d.AddWire(2, []term.Seg{code, term.S(term.Bold, safe.Line(document.Readable(text)))})
		return nil
	case m.said.Kind != wire.MsgResult:
		m.writeMissing(d, sc)
		return nil
	}
	items, n := wire.Get(m.said.Result, "content"), 0
	wire.Items(items, func(_ int, item []byte) bool {
		if n++; n == 1 {
			label(d, sc, "RESULT")
		}
		if n > maxArguments {
			d.Text(sc.Theme.Dim, "  "+sc.Glyphs.Ellipsis+" more in the JSON")
			return false
		}
		m.writeItem(d, sc, item)
		return true
	})
	if n > 0 {
		shown = append(shown, []string{"result", "content"})
	}
	if data := wire.Get(m.said.Result, "structuredContent"); data != nil {
		label(d, sc, "STRUCTURED CONTENT")
		wire.Each(data, func(key, value []byte) bool {
			name := safe.Bytes(key)
			d.AddWire(4, append([]term.Seg{term.S(sc.Theme.JSONKey, "  "+name+"  ")}, argument(sc, value)...))
			return len(d.Lines) < 60
		})
	}
	return shown
}

// writeMissing says why there is no result.
func (m *Message) writeMissing(d *document.Doc, sc *library.Scene) {
	row := m.Row
	if row.Kind != session.RowCall || !row.Ending.Open() {
		return
	}
	label(d, sc, "RESULT")
	if !m.Rec.Live {
		d.Text(sc.Theme.Pend, "  none before the recording ended")
		return
	}
	age := term.Duration(library.Elapsed(sc.Now, m.Rec, row.T))
	d.Text(sc.Theme.Pend, "  in progress for "+age)
}

// writeItem adds one piece of content: its text, or what it is.
func (m *Message) writeItem(d *document.Doc, sc *library.Scene, item []byte) {
	kind := wire.Text(wire.Get(item, "type"))
	st := term.Plain
	if m.Row.Ending.Bad() {
		st = sc.Theme.Err + term.Bold
	}
	raw := wire.Get(item, "text")
	if raw == nil {
		raw = wire.Get(item, "resource", "text")
	}
	if raw != nil {
		m.writeText(d, sc, wire.Text(raw), st)
		return
	}
	media, data := wire.Text(wire.Get(item, "mimeType")), wire.Get(item, "data")
	if data == nil {
		media, data = wire.Text(wire.Get(item, "resource", "mimeType")), wire.Get(item, "resource", "blob")
	}
	words := safe.Line(kind)
	if data != nil {
		words += ", " + document.Base64(media, data)
	}
	for _, uri := range [][]byte{wire.Get(item, "uri"), wire.Get(item, "resource", "uri")} {
		if uri != nil {
			words += "  " + safe.Line(wire.Text(uri))
		}
	}
	d.AddWire(2, []term.Seg{term.S(sc.Theme.Note, "  "+words)})
}

// writeText adds the first lines of a text.
func (m *Message) writeText(d *document.Doc, sc *library.Scene, text string, st term.Style) {
	all := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	n, from := 0, len(d.Lines)
	for s := range strings.Lines(text) {
		s = document.Readable(strings.TrimRight(s, "\r\n"))
		if n++; n > resultLines || len(d.Lines) >= from+2*resultLines {
			d.Text(sc.Theme.Dim, "  "+sc.Glyphs.Ellipsis+" "+term.Count(all-n+1, "line")+" more in the JSON")
			return
		}
		if st != term.Plain {
			d.AddWire(2, []term.Seg{term.S(st, "  "+safe.Line(s))})
			continue
		}
		d.WrapLine("  "+safe.Marked(words.Clip(s, previewBytes)), d.Width, false)
	}
}
