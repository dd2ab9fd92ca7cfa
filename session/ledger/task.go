package ledger

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// task opens the debt of a call that became a task: {"task":{…}} up to 2025-11-25, and
// later a result that is a task itself.
func (l *Ledger) task(e *session.Event, owe func(Kind, int32) *slot) {
	about := e.Message.Result
	if inner := e.Result("task"); inner != nil {
		about = inner
	} else if wire.Text(e.Result("resultType")) != "task" {
		return
	}
	id := hash(wire.Get(about, "taskId"))
	if id == 0 || ends(about) {
		return
	}
	if _, twice := l.tasks[id]; twice {
		return
	}
	if s := owe(Task, e.Row); s != nil {
		s.extra = id
		l.tasks[id] = key{e.Row, Task}
		wait, ok := wire.Int(wire.Get(about, "pollInterval"))
		if !ok {
			wait, _ = wire.Int(wire.Get(about, "pollIntervalMs"))
		}
		if wait > 0 && wait < 1e9 {
			s.Due = e.T + wait*1e6
		}
	}
}

// taskStatus ends the debt of a task that has ended, by what is said about it.
func (l *Ledger) taskStatus(e *session.Event, about []byte) {
	if k, ok := l.tasks[hash(wire.Get(about, "taskId"))]; ok && ends(about) {
		l.end(k, session.Served, e.N, e.T)
	}
}

// taskResult ends the debt of the task whose outcome came.
func (l *Ledger) taskResult(e *session.Event) {
	related := e.Result("_meta", mcp.MetaRelatedTask, "taskId")
	if k, ok := l.tasks[hash(related)]; ok {
		l.end(k, session.Served, e.N, e.T)
	}
}

// ends says whether a task is over.
func ends(task []byte) bool {
	switch wire.Text(wire.Get(task, "status")) {
	case "completed", "failed", "cancelled":
		return true
	}
	return false
}

// hash is never 0 for what is there.
func hash(raw []byte) uint64 {
	if len(raw) == 0 {
		return 0
	}
	return wire.Hash(raw) | 1
}
