package detail

import (
	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// WriteFrame says in words what a single frame is.
func WriteFrame(sc *library.Scene, rec *library.Recording, f *library.FrameInfo,
	row *session.Row, got Frames, w int,
) document.Doc {
	d := document.Doc{Width: w}
	full := got[uint64(f.N)]
	from, to := Sides(f.Dir)
	d.Add(term.S(term.Bold, "Frame #"+safe.Int(f.N)+": "+safe.Line(f.Kind.String())))
	d.Blank()
	if f.Dir != wire.NoDir {
		d.Field(sc.Theme, "direction", term.S(term.Plain, from+" "+sc.Glyphs.Arrow+" "+to))
	}
	d.Field(sc.Theme, "seen", term.S(term.Plain, term.Seconds(f.T-sc.Base)), term.S(sc.Theme.Dim, " s"))
	d.Field(sc.Theme, "bytes", term.S(term.Plain, term.Number(int(f.Len))))
	if f.X > 0 {
		d.Field(sc.Theme, "request", term.S(term.Plain, "x"+safe.Int(f.X)))
	}
	if full.Part == wire.Cut {
		d.Field(sc.Theme, "part", term.S(sc.Theme.Warn, "its end never came"))
	} else if full.Part == wire.More {
		d.Field(sc.Theme, "part", term.S(term.Plain, "the unit goes on in a later frame"))
	}
	if row != nil {
		d.Field(sc.Theme, "message", term.S(term.Plain, "#"+safe.Int(row.Request)+" "+safe.Line(rec.Tracker.Name(row.Name))))
		d.Field(sc.Theme, "", term.S(sc.Theme.Dim, OutcomeText(rec, row)))
	} else {
		d.Field(sc.Theme, "message", term.S(sc.Theme.Dim, "none"))
	}
	return d
}

// Reading says that bytes are being read, when that may take a while.
func Reading(th *term.Theme, rec *library.Recording, ns []uint64) (d document.Doc) {
	n := int64(0)
	for _, one := range ns {
		if f := rec.Frame(one); f != nil {
			n += int64(f.Len)
		}
	}
	if n > 1<<20 {
		d.Text(th.Dim, "reading "+term.Size(n)+" …")
	}
	return d
}
