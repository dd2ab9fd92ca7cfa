package document

import (
	"bytes"
	"strings"

	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// reading is what a JSON string stands for, when that is more than its text.
type reading struct {
	head safe.Text // in words; "" for nothing
	text string    // lines of it
	json []byte    // or a value
	shut bool      // shown when somebody asks
}

const (
	maxDecoded = 1 << 20 // bytes of text in base64 that are laid out
)

func (x *walker) read(n *jsonNode) reading {
	raw := x.data[n.From:n.To]
	if len(raw) < 6 || raw[0] != '"' {
		return reading{}
	}
	if mime, ok := x.d.mime(n, x.scan); ok {
		if m, ok := readMedia(mime, raw[1:len(raw)-1]); ok {
			r := reading{head: m.words()}
			if m.textual() {
				r.text, r.shut = string(m.Decoded(maxDecoded)), true
			}
			return r
		}
	}
	lines := bytes.Contains(raw, []byte(`\n`))
	first := bytes.TrimLeft(raw[1:], " ")[0]
	mayBeJSON := x.inner < maxInner && len(raw) > 4 && (first == '{' || first == '[' || first == '\\')
	if !lines && !mayBeJSON {
		return reading{}
	}
	if len(raw) > maxShown {
		return reading{}
	}
	text := wire.Text(raw)
	if in := strings.Trim(text, " \t\r\n"); mayBeJSON && len(in) > 2 &&
		(in[0] == '{' || in[0] == '[') && wire.Valid([]byte(in)) {
		return reading{head: "JSON in a string, " + term.Bytes(len(text)), json: []byte(in)}
	}
	if !strings.Contains(text, "\n") {
		return reading{}
	}
	return reading{head: "text, " + term.Count(strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1, "line"), text: text}
}

// mime is the media type of what a node has in base64, looked for in as many
// bytes as scan allows; false when nothing says that it has any (ImageContent, AudioContent, BlobResourceContents).
func (d *Doc) mime(n *jsonNode, scan *int) (string, bool) {
	if n.keyEnd == 0 || n.Parent < 0 || *scan <= 0 {
		return "", false
	}
	data := d.Sources[n.Src].Data
	name := string(data[n.key:n.keyEnd])
	p := &d.Nodes[n.Parent]
	if name != `"data"` && name != `"blob"` || p.open != '{' {
		return "", false
	}
	var media, kind string
	wire.Each(data[p.From:], func(key, value []byte) bool {
		switch string(key) {
		case "mimeType":
			media = wire.Text(value)
		case "type":
			kind = wire.Text(value)
		}
		*scan -= len(value)
		return media == "" || kind == "" && name == `"data"`
	})
	return media, name == `"blob"` || media != "" || kind == "image" || kind == "audio"
}

// stand lays out what the string of a node stands for, instead of its text.
func (x *walker) stand(of int32, r reading) {
	d := x.d
	n := &d.Nodes[of]
	from := len(d.Lines)
	pad := safe.Repeat(" ", x.depth*tabWidth)
	segs := []term.Seg{term.S(term.Plain, pad)}
	if n.keyEnd > 0 {
		segs = append(segs, term.S(x.th.JSONKey, safe.Bytes(x.data[n.key:n.keyEnd])), term.S(term.Plain, ": "))
	}
	d.AddIndented(len(pad)+tabWidth, append(segs, term.S(x.th.Note, r.head)))
	d.belong(from, of)
	n.head, n.shut, n.Stands = int32(len(d.Lines)-1), r.shut, true
	switch {
	case r.json != nil:
		in := walker{d: d, th: x.th, w: x.w, of: -1, depth: x.depth + 1, left: x.left, scan: x.scan, inner: x.inner + 1}
		in.walk(r.json, of)
		in.flush()
	case r.text != "":
		x.lines(r.text)
	}
}

// lines adds the lines of a text, indented below the line before.
func (x *walker) lines(text string) {
	pad := strings.Repeat(" ", min((x.depth+1)*tabWidth, x.w/2))
	for s := range strings.Lines(text) {
		if *x.left <= 0 {
			x.d.Text(x.th.Warn, "the rest is on the Raw tab")
			return
		}
		s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
		x.d.WrapLine(pad+safe.Marked(Readable(s)), x.w, false)
		*x.left -= len(s) + 8
	}
}
