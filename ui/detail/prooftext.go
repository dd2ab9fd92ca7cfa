package detail

import (
	"strings"

	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Text is lines of an account or of a proof that are being written.
type Text struct {
	document.Doc
	Scene *library.Scene
	Folds []int // lines in which something is folded
}

// NewText is for panels of w cells inside: the first cell is for the bar of a ground.
func NewText(sc *library.Scene, w int) Text {
	return Text{Scene: sc, Doc: document.Doc{Width: max(w-2, 8)}}
}

// Put writes segments, which continue below themselves at an indentation.
func (t *Text) Put(indent int, segs ...term.Seg) { t.AddIndented(indent, segs) }

// Missing is a line about what is not there, or wrong; issued one about what came.
func (t *Text) Missing() document.Line {
	return document.Line{Ground: t.Scene.Theme.Removed, Bar: term.S(t.Scene.Theme.Err, bar(t.Scene, "-"))}
}

func (t *Text) issued() document.Line {
	return document.Line{Ground: t.Scene.Theme.Added, Bar: term.S(t.Scene.Theme.Ok, bar(t.Scene, "+"))}
}

func (t *Text) folded(indent, n int, noun safe.Text) {
	th, pad := t.Scene.Theme, safe.Repeat(" ", indent)
	t.Folds = append(t.Folds, len(t.Lines))
	t.Put(indent+2, term.S(th.Key, pad+t.Scene.Glyphs.Folded+" "), term.S(th.Dim, term.Count(n, noun)))
}

// Part adds an empty line behind what there is.
func (t *Text) Part() {
	if n := len(t.Lines); n > 0 && len(t.Lines[n-1].Segs) > 0 {
		t.Blank()
	}
}

// bar is what stands before a line of a ground: its sign where grounds cannot be
// seen.
func bar(sc *library.Scene, sign safe.Text) safe.Text {
	if sc.Theme.Removed == "" {
		return sign
	}
	return sc.Glyphs.Bar
}

type jsonText struct {
	*Text
	whole bool   // all of it
	bad   []byte // the value that stands out: a part of what is written
}

// maxCompact is how many bytes of a message are written where not all of it is.
const maxCompact = 1200

// compact writes JSON, or any text, as one line that is wrapped.
func (j *jsonText) compact(raw []byte) { j.value(document.Line{}, 1, "", raw) }

// value writes a value on lines of a kind, with its name before it.
func (j *jsonText) value(like document.Line, depth int, name string, raw []byte) {
	most := maxCompact
	if j.whole {
		most = maxRead
	}
	cut := len(raw) > most
	shown := raw[:min(len(raw), most)]
	pad := safe.Repeat("  ", depth)
	segs := []term.Seg{term.S(term.Plain, pad)}
	if name != "" {
		segs = append(segs, term.S(j.Scene.Theme.JSONKey, safe.Line(name)), term.S(term.Plain, ": "))
	}
	if wire.Valid(raw) {
		segs = append(segs, j.tokens(shown)...)
	} else {
		segs = append(segs, term.S(term.Plain, safe.Bytes(shown)))
	}
	j.AddLike(like, 2*depth+1, segs...)
	if cut {
		rest := term.Bytes(len(raw)-most) + " more, enter shows the message"
		j.Put(2*depth, term.S(j.Scene.Theme.Key, pad+j.Scene.Glyphs.Folded+" "), term.S(j.Scene.Theme.Dim, rest))
	}
}

// tokens colours JSON, which may be cut.
func (j *jsonText) tokens(raw []byte) (out []term.Seg) {
	th := j.Scene.Theme
	for token, st := range document.JSONTokens(th, raw) {
		if st == th.JSONString && len(j.bad) > 0 && token == string(j.bad) {
			st = th.Err
		}
		out = append(out, term.S(st, safe.Line(token)))
	}
	return out
}

// fold writes a message folded around the value that a JSON Pointer leads to,
// which is tinted; a member that is missing stands where it belongs. It returns
// false when the pointer leads nowhere.
func (j *jsonText) fold(raw []byte, pointer string) bool {
	path := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, one := range path {
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(one)
	}
	at := raw
	for _, one := range path[:len(path)-1] {
		if at = child(at, one); at == nil {
			return false
		}
	}
	j.around("", raw, path, 1)
	return true
}

// child is an element or member of a value, nil for none.
func child(raw []byte, name string) (found []byte) {
	if len(raw) > 0 && raw[0] == '[' {
		wire.Items(raw, func(i int, v []byte) bool {
			if string(safe.Int(i)) == name {
				found = v
			}
			return found == nil
		})
		return found
	}
	return wire.Get(raw, name)
}

func (j *jsonText) around(name string, raw []byte, path []string, depth int) {
	tint := j.Missing()
	if len(path) == 0 {
		j.value(tint, depth, name, raw)
		return
	}
	th, pad := j.Scene.Theme, safe.Repeat("  ", depth)
	open, shut, noun := safe.Text("{"), safe.Text("}"), safe.Text("member")
	if raw[0] == '[' {
		open, shut, noun = "[", "]", "item"
	} else if raw[0] != '{' {
		j.value(tint, depth, name, raw)
		return
	}
	segs := []term.Seg{term.S(term.Plain, pad)}
	if name != "" {
		segs = append(segs, term.S(th.JSONKey, safe.Line(name)), term.S(term.Plain, ": "))
	}
	j.Put(2*depth, append(segs, term.S(term.Plain, open))...)
	folded, found := 0, false
	flush := func() {
		if folded > 0 {
			j.Text.folded(2*depth, folded, noun)
		}
		folded = 0
	}
	each(raw, func(key string, quoted string, v []byte) {
		switch {
		case key == path[0] && !found:
			found = true
			flush()
			j.around(quoted, v, path[1:], depth+1)
		case j.whole || open == "{" && len(v) <= 40 && v[0] != '{' && v[0] != '[':
			flush()
			j.value(document.Line{}, depth+1, quoted, v)
		default:
			folded++
		}
	})
	flush()
	if !found {
		tint.Right = []term.Seg{th.Badge(th.Err, "missing")}
		j.AddLike(tint, 2*depth, term.S(th.Err, pad+"  "+safe.Line(`"`+path[0]+`"`)+":"))
	}
	j.Put(2*depth, term.S(term.Plain, pad+shut))
}

// each calls yield with the members or elements of a value; quoted is a name as
// it is written, "" for elements.
func each(raw []byte, yield func(key, quoted string, v []byte)) {
	if raw[0] == '[' {
		wire.Items(raw, func(i int, v []byte) bool {
			yield(string(safe.Int(i)), "", v)
			return true
		})
		return
	}
	wire.Each(raw, func(key, v []byte) bool {
		yield(string(key), `"`+string(key)+`"`, v)
		return true
	})
}
