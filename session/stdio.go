package session

import (
	"bytes"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// pieces collects a payload that came in several frames.
type pieces struct {
	data []byte
	src  source
	over bool // longer than what is kept to be read
}

// maxJoined bounds what is kept of a payload that came in several frames.
const maxJoined = 64 << 20

// join adds a frame to the payload. It returns the whole payload and true when
// the frame was its last; where it began is then in t.src.
func (t *Tracker) join(p *pieces, f *wire.Frame) ([]byte, bool) {
	if f.Part != wire.More && p.src.frame == 0 {
		return f.Data, true
	}
	if p.src.frame == 0 {
		p.src = t.src
	} else {
		p.src.len += clampLen(f.Len)
	}
	if p.over = p.over || len(p.data)+len(f.Data) > maxJoined; !p.over {
		p.data = append(p.data, f.Data...)
	}
	if f.Part == wire.More {
		return nil, false
	}
	data := p.data
	t.src = p.src
	*p = pieces{}
	return data, true
}

// applyProcess takes a frame of a stdio server.
func (t *Tracker) applyProcess(f *wire.Frame) {
	switch f.Kind {
	case wire.KindLine:
		t.line(f)
	case wire.KindStderr:
		r := t.newRow(RowStderr, wire.ToClient)
		r.Name = t.names.internString("stderr")
		row := t.addRow(r, t.home())
		t.emitOf(EventStderr, t.home(), row, nil, f.Data)
	case wire.KindStart:
		t.started(f)
	case wire.KindExit:
		t.exited(f)
	case wire.KindSignal:
		r := t.newRow(RowProcess, wire.ToServer)
		r.Name = t.names.internString("signal")
		row := t.addRow(r, t.home())
		t.emitOf(EventProcess, t.home(), row, nil, f.Data)
	}
}

func (t *Tracker) started(f *wire.Frame) {
	if t.process.primary >= 0 && t.groups[t.process.primary].life.closed.t != 0 {
		t.process = noProcess()
		t.process.first = len(t.groups)
	}
	g := t.home()
	g.life.begin = moment(f)
	r := t.newRow(RowProcess, wire.NoDir)
	r.Name, r.Ending = t.names.internString("start"), Served
	if bad := wire.Get(f.Data, "error"); len(bad) > 2 {
		r.Ending = Crashed
		g.State = StateFailed
		g.life.beginBad = words.Clip(wire.Text(bad), 60)
	}
	row := t.addRow(r, g)
	t.emitOf(EventProcess, g, row, nil, f.Data)
}

func (t *Tracker) exited(f *wire.Frame) {
	t.fell(f)
	g := t.home()
	r := t.newRow(RowProcess, wire.NoDir)
	r.Name, r.Ending = t.names.internString("exit"), Served
	code, _ := wire.Int(wire.Get(f.Data, "code"))
	signal := wire.Text(wire.Get(f.Data, "signal"))
	switch {
	case code == 0 || string(wire.Get(f.Data, "lost")) == "true":
	case signal == "SIGTERM" || signal == "SIGINT" || signal == "SIGHUP":
		r.Ending = Irregular // a signal asked it to end
	default:
		r.Ending = Crashed
	}
	r.Code = int32(code)
	row := t.addRow(r, g)
	t.emitOf(EventProcess, g, row, nil, f.Data)
	for _, g := range t.groups[min(t.process.first, len(t.groups)-1):] {
		if g.scope == t.process.scope {
			g.life.exitBad = code != 0 && signal == ""
			t.closeGroup(g, exitNote(code, signal), t.loseAll(g))
		}
	}
	*t.process.scope = scope{}
}

// closePipe takes the end of stdin or stdout.
func (t *Tracker) closePipe(f *wire.Frame) {
	g := t.home()
	r := t.newRow(RowProcess, f.Dir)
	name := "stdin closed"
	if f.Dir == wire.ToClient {
		name = "stdout closed"
	}
	r.Name = t.names.internString(name)
	if string(wire.Get(f.Data, "clean")) == "false" {
		r.Ending = Irregular
	}
	row := t.addRow(r, g)
	t.emitOf(EventProcess, g, row, nil, f.Data)
}

// line takes one line of a stdio server.
func (t *Tracker) line(f *wire.Frame) {
	p := &t.process
	payload, whole := t.join(&p.partial[side(f.Dir)], f)
	if !whole {
		t.touch(t.home())
		return
	}
	n := 0
	t.whole = payload
	if !blank(payload) {
		t.batched = wire.IsArray(payload)
		n = t.messages(payload, func(i int, m wire.Message) bool {
			t.src.batch = clampBatch(i)
			t.lineMessage(f.Dir, &m)
			return true
		})
	}
	if n == 0 {
		name := "stdout noise"
		if f.Dir == wire.ToServer {
			name = "stdin noise"
		}
		t.noise(t.home(), f.Dir, name, -1)
	}
}

// lineMessage takes one message of a line.
func (t *Tracker) lineMessage(d wire.Dir, m *wire.Message) {
	t.begin()
	p := &t.process
	switch m.Kind {
	case wire.MsgRequest:
		mt := t.readMeta(m.Params)
		g := t.lineGroup(d, m, &mt)
		p.latest = int32(g.Index)
		if d == wire.ToServer {
			t.metaID(g, &mt)
		}
		t.request(g, nil, d, m, &mt)
	case wire.MsgNotification:
		mt := t.readMeta(m.Params)
		g := t.current()
		if row := t.regards(g, nil, d, m, &mt); row >= 0 {
			g = t.groupAt(t.rows.row(int(row)).Session)
		} else if string(m.Method) == mcp.NotifyInitialized {
			g = t.legacyProcess()
		}
		t.notification(g, nil, d, m, &mt)
	case wire.MsgResult, wire.MsgError:
		t.response(t.current(), nil, d, m)
	default:
		t.noise(t.current(), d, "batch noise", -1)
	}
}

// current is the session of a message that says nothing about where it
// belongs: that of the latest request.
func (t *Tracker) current() *group {
	t.home()
	return t.groups[t.process.latest]
}

// lineGroup is the session of a request.
func (t *Tracker) lineGroup(d wire.Dir, m *wire.Message, mt *meta) *group {
	switch {
	case d == wire.ToClient && t.process.legacy < 0:
		return t.current()
	case d == wire.ToServer && t.process.legacy >= 0 && !mt.modern:
		return t.groups[t.process.legacy]
	case d == wire.ToServer && classify(m, mt):
		return t.conversation(nil, mt)
	case d == wire.ToServer && string(m.Method) == mcp.Ping && t.home().Modern:
		return t.current()
	}
	return t.legacyProcess()
}

func blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

func clampBatch(i int) uint16 { return uint16(min(i, 1<<16-1)) }
