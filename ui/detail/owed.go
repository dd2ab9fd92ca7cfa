package detail

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/ledger"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

func padLeft(t safe.Text, n int) safe.Text {
	for term.Width(t) < n {
		t = " " + t
	}
	return t
}

// waits adds what a message waits for: a line for each debt that it stands on, which
// leads there, and who owes the last of them since when.
func (m *Message) waits(d *document.Doc, sc *library.Scene) {
	if m.atGate(d, sc) {
		return
	}
	chain := m.Rec.Debts(m.ID)
	for i := range max(len(chain)-1, 0) {
		words := ledger.Words(chain[i : i+2])
		words = strings.TrimPrefix(words, chain[i].Method+" (#"+strconv.FormatUint(chain[i].N, 10)+") ")
		d.AddTo(chain[i+1].N, numbered(sc.Theme, words)...)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if chain[i].End.Open() {
			m.owed(d, sc, &chain[i])
			return
		}
	}
}

// atGate says what the gate did to the message, and whether it got no further there:
// then nobody owes anything for it.
func (m *Message) atGate(d *document.Doc, sc *library.Scene) (stays bool) {
	t := m.Rec.Tracker
	if text := describe.Gate(t, m.Row); text != "" {
		deeds := t.Deeds(m.Row)
		d.AddTo(deeds[len(deeds)-1].Frame, term.S(sc.Theme.Faint, "at the gate "), term.S(sc.Theme.Warn, safe.Line(text)))
	}
	fate := t.Fate(m.Row, m.Row.Dir)
	return fate == wire.GateHold || fate == wire.GateDrop
}

// owed says whose turn it is, and for how long.
func (m *Message) owed(d *document.Doc, sc *library.Scene, debt *ledger.Debt) {
	who := safe.Line(debt.Debtor())
	if s := m.Rec.Session(debt.Session); s != nil {
		peer := map[string]session.Peer{"client": s.Client, "server": s.Server}[debt.Debtor()]
		who = PeerOr(peer, who)
	}
	dot, how := " "+sc.Glyphs.Dot+" ", safe.Text("")
	if m.Rec.Live {
		how = "for " + term.Duration(library.Elapsed(sc.Now, m.Rec, debt.T))
	} else if n := len(m.Rec.Frames); n > 0 {
		how = "for " + term.Duration(max(0, m.Rec.Frames[n-1].T-debt.T)) + " until the recording ended"
	}
	d.Add(term.S(sc.Theme.Faint, "owed by "), term.S(term.Plain, who), term.S(sc.Theme.Dim, dot+how))
}

// framed are numbers of frames in a text of ours.
var framed = words.Pattern(`\(?#[0-9]+\)?`)

// numbered is a text with the numbers of frames in the colour of keys.
func numbered(th *term.Theme, text string) (out []term.Seg) {
	for text != "" {
		at := framed().FindStringIndex(text)
		if at == nil {
			return append(out, term.S(term.Plain, safe.Line(text)))
		}
		out = append(out, term.S(term.Plain, safe.Line(text[:at[0]])),
			term.S(th.Key, safe.Line(strings.Trim(text[at[0]:at[1]], "()"))))
		text = text[at[1]:]
	}
	return out
}
