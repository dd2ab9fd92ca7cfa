package ledger

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Rows of the table about tasks and questions in results.

// task is what a message says of a task, nil for nothing: {"task":{…}} up to 2025-11-25,
// and later a result that is a task itself.
func task(e *session.Event) []byte {
	if e.Kind != session.EventMessage {
		return nil
	}
	raw, inner, id := e.Message.Result, e.Result("task"), e.Result("taskId")
	if e.Message.Kind == wire.MsgNotification {
		raw, inner, id = e.Message.Params, e.Param("task"), e.Param("taskId")
	}
	if len(inner) > 0 && inner[0] == '{' {
		raw = inner
	} else if len(id) == 0 {
		return nil
	}
	if len(wire.Get(raw, "taskId")) == 0 || len(wire.Get(raw, "status")) == 0 {
		return nil
	}
	return raw
}

// ends reports whether a task is over.
func ends(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// reported opens the debt of a task that a server message reports, nil when it is open already.
func reported(l *Ledger, kind Kind, e *session.Event, about []byte) *Debt {
	if about == nil || e.Dir != wire.ToClient || e.Session == nil || e.Row < 0 {
		return nil
	}
	raw := wire.Get(about, "taskId")
	d := l.begin(kind, e.Row, wire.ToServer, e.N, e.T)
	d.Name, d.id, d.Status = wire.Said(raw), hash(raw), wire.Said(wire.Get(about, "status"))
	if l.about(kind, d.id) != nil {
		return nil
	}
	return d
}

// taskBegun opens the debt of polling a task, whichever side reported it.
func taskBegun(l *Ledger, e *session.Event) *Debt {
	about := task(e)
	d := reported(l, Task, e, about)
	if d == nil || ends(d.Status) {
		return nil
	}
	wait, ok := wire.Int(wire.Get(about, "pollInterval"))
	if !ok {
		wait, _ = wire.Int(wire.Get(about, "pollIntervalMs"))
	}
	if wait > 0 && wait < 1e9 {
		d.Due = e.T + wait*1e6
	}
	return d
}

// taskOver is the end of a task: by what is said of it, its result, or its client.
func taskOver(l *Ledger, e *session.Event) (int32, session.Ending) {
	how, id := session.Served, uint64(0)
	if about := task(e); about != nil && e.Dir == wire.ToClient {
		if ends(wire.Said(wire.Get(about, "status"))) {
			id = hash(wire.Get(about, "taskId"))
		}
	} else if method, ok := l.result(e); ok && method == mcp.TasksResult {
		id = hash(e.Result("_meta", mcp.MetaRelatedTask, "taskId"))
	} else if method, ok := l.request(e); ok && method == mcp.TasksCancel {
		how, id = session.Withdrawn, hash(e.Param("taskId"))
	}
	if s := l.about(Task, id); s != nil {
		return s.Row, how
	}
	return 0, 0
}

// taskSeen notes looks at a task, and what they show.
func taskSeen(l *Ledger, e *session.Event) {
	if method, ok := l.request(e); ok && (method == mcp.TasksGet || method == mcp.TasksResult) {
		if s := l.about(Task, hash(e.Param("taskId"))); s != nil {
			s.heard(e)
		}
		return
	}
	if about := task(e); about != nil && e.Dir == wire.ToClient {
		if s := l.about(Task, hash(wire.Get(about, "taskId"))); s != nil {
			s.Status, s.Told, s.ToldT = wire.Said(wire.Get(about, "status")), e.N, e.T
		}
	}
}

// taskCompleted opens the debt of the result of a task.
func taskCompleted(l *Ledger, e *session.Event) *Debt {
	d := reported(l, TaskResult, e, task(e))
	if d == nil || d.Status != "completed" || e.Session.Modern || l.fetched[d.id] {
		return nil
	}
	return d
}

func resultFetched(l *Ledger, e *session.Event) (int32, session.Ending) {
	method, ok := l.request(e)
	if !ok || method != mcp.TasksResult && method != mcp.TasksCancel {
		return 0, 0
	}
	id := hash(e.Param("taskId"))
	if len(l.fetched) < maxClosed {
		l.fetched[id] = true
	}
	if s := l.about(TaskResult, id); s != nil {
		return s.Row, session.Served
	}
	return 0, 0
}

// inputAsked opens the debt of the answers to the questions in a result, or of a task.
func inputAsked(l *Ledger, e *session.Event) *Debt {
	method, ok := l.result(e)
	var d *Debt
	switch {
	case ok && method == mcp.TasksGet:
		d = reported(l, Input, e, task(e))
	case ok && e.Modern && wire.Said(e.Result("resultType")) == "input_required":
		row := e.Row
		if p := l.t.Row(int(row)).Parent; p >= 0 {
			row = p
		}
		d = l.begin(Input, row, wire.ToServer, e.N, e.T)
	}
	if d == nil || d.id != 0 && d.Status != "input_required" {
		return nil
	}
	wire.Each(e.Result("inputRequests"), func(_, ask []byte) bool {
		if d.Questions++; d.Questions == 1 {
			d.Asks = wire.Said(wire.Get(ask, "method"))
		}
		return d.Questions < maxLook
	})
	if d.id != 0 && d.Asks == "" {
		return nil
	}
	return d
}

// inputGiven is the next round of a call, what a client says of a task, or a task that
// continues without.
func inputGiven(l *Ledger, e *session.Event) (int32, session.Ending) {
	how, id := session.Served, uint64(0)
	if method, ok := l.request(e); ok {
		if root := l.t.Row(int(e.Row)).Parent; root >= 0 {
			return root, session.Served
		}
		if method == mcp.TasksUpdate || method == mcp.TasksCancel {
			id = hash(e.Param("taskId"))
		}
	} else if about := task(e); about != nil && e.Dir == wire.ToClient && wire.Said(wire.Get(about, "status")) != "input_required" {
		how, id = session.Withdrawn, hash(wire.Get(about, "taskId"))
	}
	if s := l.about(Input, id); s != nil {
		return s.Row, how
	}
	return 0, 0
}

// inputSkipped notes what else a client asks for.
func inputSkipped(l *Ledger, e *session.Event) {
	method, ok := l.request(e)
	if !ok || method == mcp.TasksGet || l.t.Row(int(e.Row)).Parent >= 0 {
		return
	}
	for i, n := l.of(e).last, 0; i >= 0 && n < maxLook; i, n = l.slots[i].prev, n+1 {
		if s := &l.slots[i]; s.Kind == Input {
			s.went(e.Row)
		}
	}
}
