package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
)

var serverMute = rule("server-mute", onGivingUp|diagnose.Stderr|diagnose.Noise|diagnose.Finish, func(c *diagnose.Case) {
	p, o := hear(c), hearPrinted(c)
	heard := (c.Kind == stderrKind || c.Kind == noiseKind) && c.N != 0
	if heard || !overStdio(c) || c.Session.Probe || !isMute(c) && !o.only(c) {
		return
	}
	row := oldest(c)
	g, ok := gaveUp(c)
	if ok {
		row = g.Row
	}
	d, _ := c.Ledger.Of(int(row))
	waited := c.T - d.T
	if row < 0 || d.Owes != wire.ToClient || !ok && c.N != 0 || waited < 3e9 || !ok && waited < 20e9 {
		return
	}
	f := diagnose.Finding{Frames: []uint64{d.N}}
	if c.N != 0 {
		f.Frames = []uint64{c.N, d.N}
	}
	f.Message = c.Client() + " sent " + quote(d.Method) + " (" + frame(d.N) + "). In " + seconds(waited) +
		" the server wrote nothing at all to stdout, no response and no error"
	if o.only(c) {
		f.Message = c.Client() + " sent " + quote(d.Method) + " (" + frame(d.N) + "). In " + seconds(waited) +
			" the server wrote only text to stdout, no response and no error: " + quoteLong(o.tail())
		f.Brief, f.Frames = "text in place of a response", append(f.Frames, o.first)
	}
	f.Seen = true // it may hang, load, wait for a login, or be no server
	if said := p.tail(); said != "" {
		f.Message += "; the last lines on stderr: " + quoteLong(said)
		f.Frames = append(f.Frames, p.told)
		if a, known := adviceOn(said); known && a.side != diagnose.Unclear {
			f.Cause, f.Remedies, f.Side, f.Seen = a.cause, a.fix, a.side, false
		}
	}
	if p.means(sdkwords.ServesHTTP) || o.means(sdkwords.ServesHTTP) {
		f.Seen = false
		advise(&f, "another transport")
	}
	f.Message += "."
	c.ReportAs("", f)
})

// only says that a process that serves nothing wrote no more than text to stdout.
func (p *textOnStdout) only(c *diagnose.Case) bool {
	return p.first != 0 && !p.odd && c.Facts.LastOK == 0 && !c.Blind()
}

// isMute says that the server in hand is a process that has not written a byte to
// stdout since it was started.
func isMute(c *diagnose.Case) bool {
	if !overStdio(c) || c.Blind() || c.Facts.LastOK != 0 {
		return false
	}
	n, _ := c.Ledger.Pipe(wire.ToClient)
	in, _ := c.Ledger.Pipe(wire.ToServer)
	return n == 0 && in != 0
}
