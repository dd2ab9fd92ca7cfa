package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var tasksConformance = []*diagnose.Rule{
	{ID: "ping-refused", On: diagnose.Errors, Methods: []string{mcp.Ping}, Check: func(c *diagnose.Case) {
		r := diagnose.Refusal{Text: errorText(c), Code: errorCode(c)}
		if c.Call == nil || byTransport(c) || blamesSession(&r) ||
			blamesHandshake(&r) && c.Facts != nil && c.Facts.Negotiated() {
			return // what is lost is the session
		}
		c.Blame("", c.Sender().String(), fill{"by": sideOf(c.Call.Dir), "code": r.Code, "error": r.Text})
	}},
	{ID: "subscription-cut", On: diagnose.Messages | diagnose.Ends, Check: func(c *diagnose.Case) {
		l, s := listening(c)
		switch {
		case s == nil || c.N == s.n:
		case c.Call != nil: // it got its response
			l.drop(s)
		case c.Kind == session.EventEnd:
			if c.By == wire.ByServer && c.Clean && !s.ended && s.ack != 0 && !c.Blind() {
				c.Found("", "", fill{"id": s.id, "asked": s.n}, c.N, s.n)
			}
			l.drop(s)
		case string(c.Message.Method) == mcp.NotifyAcknowledged:
			s.ack = c.N
		case string(c.Message.Method) == mcp.NotifyCancelled:
			s.ended = true
		}
	}},
	{
		ID: "subscription-unacknowledged", On: diagnose.Notifications | diagnose.Results | diagnose.Settled,
		Check: checkAcknowledged,
	},
	{
		ID: "task-lost", On: diagnose.Results | diagnose.Errors | diagnose.Notifications, Methods: taskMethods,
		Check: func(c *diagnose.Case) {
			if c.Dir != wire.ToClient {
				return
			}
			s := diagnose.State[tasksSeen](c)
			if c.Message.Kind != wire.MsgError {
				if f, ok := taskIn(c); ok {
					s.learn(f)
				}
				return
			}
			if c.Call == nil {
				return
			}
			f, known := s.tasks[text(wire.Get(c.Call.Params, "taskId"))]
			said := diagnose.Refusal{Text: errorText(c), Code: errorCode(c)}
			if !known || f.over() || !said.Means(sdkwords.TaskUnknown) && !said.Says("not found", "unknown task", "expired", "no such task", "does not exist") {
				return
			}
			with := fill{"said": said.Text, "task": f.id, "status": f.status, "before": f.n}
			age := c.T - s.born[f.id]
			switch {
			case f.ttl >= 0 && age >= f.ttl*1e6:
				with["over"] = number(f.ttl)
			case f.ttl >= 0:
				with["ttl"], with["age"] = number(f.ttl), seconds(age)
			}
			c.Found("", f.id, with, c.N, c.Call.N, f.n)
		},
	},
	{ID: "task-left", On: diagnose.Finish, Check: func(c *diagnose.Case) {
		if c.Blind() {
			return
		}
		for _, d := range c.Ledger.Missing(c.Session.Index, c.T) {
			since := max(d.T, d.ToldT)
			if d.Kind != ledger.Task && d.Kind != ledger.TaskResult || c.T-since < 3e9 {
				continue
			}
			says, told := "asked", max(d.N, d.Told)
			switch {
			case d.Kind == ledger.TaskResult:
				says = "result"
			case d.Signs == 0:
				says = "never"
			}
			c.Found(says, "", fill{
				"task": d.Name, "status": d.Status, "told": told, "since": seconds(c.T - since),
				"times": words.CountOf(d.Signs, "time", "times"),
			}, told)
		}
	}},
	{
		ID: "task-times-short", On: diagnose.Results | diagnose.Notifications, Methods: taskTold,
		Check: func(c *diagnose.Case) {
			f, ok := taskIn(c)
			if !ok || f.poll < 1 || f.poll > 60 || c.Dir != wire.ToClient || f.over() {
				return
			}
			c.Found("", "", fill{"task": f.id, "poll": f.poll, "times": max(1, 1000/f.poll), "ttl": max(f.ttl, 0)})
		},
	},
}

const maxTasks = 4096

func checkAcknowledged(c *diagnose.Case) {
	row := c.Row
	if c.Call == nil { // of a notification
		row = c.Tracker().Row(int(row)).Parent
		for _, d := range c.Ledger.Open(c.Session.Index) {
			if d.Kind == ledger.Acknowledgement && d.Times == 1 && d.Went[0] == c.Row {
				row = d.Row // on stdio it names its subscription
			}
		}
	}
	d, ok := c.Ledger.Other(ledger.Acknowledgement, int(row))
	switch {
	case !ok || d.Paid() || c.Blind():
	case c.Call == nil && d.Times == 1 && d.Went[0] == c.Row:
		unacknowledged(c, &d, quote(c.Method()))
	case c.Call == nil || d.Times > 0:
	case c.Kind == session.EventSettled && !overStdio(c):
		waited := d.Wait(c.T) // the client gave it up
		if waited >= 3e9 && rowOf(c).Status == 0 {
			c.ReportAs("nothing", withAdvice("stream collected before it is sent", diagnose.Finding{
				Says: "nothing", With: fill{"asked": d.N, "waited": seconds(waited)}, Frames: []uint64{c.N, d.N},
			}))
		}
	case c.Kind == session.EventMessage && c.Message.Kind == wire.MsgResult && c.Facts.ServesModern:
		unacknowledged(c, &d, "its response")
	}
}

func unacknowledged(c *diagnose.Case, d *ledger.Debt, what string) {
	t := c.Tracker()
	c.Found("", "", fill{"what": what, "id": t.Name(t.Row(int(d.Row)).ID), "asked": d.N}, c.N, d.N)
}

type taskFacts struct {
	id, status string
	ttl, poll  int64 // milliseconds, -1 for none
	n          uint64
	t          int64
}

func taskIn(c *diagnose.Case) (f taskFacts, ok bool) {
	raw, task, id := c.Message.Result, c.Result("task"), c.Result("taskId")
	if c.Message.Kind == wire.MsgNotification {
		raw, task, id = c.Message.Params, c.Param("task"), c.Param("taskId")
	}
	if len(task) > 0 && task[0] == '{' {
		raw = task
	} else if id == nil {
		return f, false
	}
	f = taskFacts{id: text(wire.Get(raw, "taskId")), status: text(wire.Get(raw, "status")), n: c.N, t: c.T}
	f.ttl, f.poll = milliseconds(raw, "ttl"), milliseconds(raw, "pollInterval")
	return f, f.id != "" && f.status != ""
}

func milliseconds(task []byte, name string) int64 {
	for _, key := range [...]string{name, name + "Ms"} {
		if n, ok := wire.Int(wire.Get(task, key)); ok {
			return n
		}
	}
	return -1
}

// over says that a task does not change any more.
func (f *taskFacts) over() bool {
	return f.status == "completed" || f.status == "failed" || f.status == "cancelled"
}

// tasksSeen are the tasks of a session, as they were told last, and when they began.
type tasksSeen struct {
	tasks map[string]taskFacts
	born  map[string]int64
}

func (s *tasksSeen) learn(f taskFacts) {
	if _, known := s.tasks[f.id]; !known && len(s.tasks) >= maxTasks {
		return
	}
	if _, known := s.born[f.id]; !known {
		made(&s.born)[f.id] = f.t
	}
	made(&s.tasks)[f.id] = f
}

var taskMethods = []string{
	mcp.ToolsCall, mcp.SamplingCreateMessage, mcp.ElicitationCreate,
	mcp.TasksGet, mcp.TasksResult, mcp.TasksCancel, mcp.TasksUpdate, mcp.NotifyTasksStatus, mcp.NotifyTasks,
}

var taskTold = []string{mcp.TasksGet, mcp.NotifyTasksStatus, mcp.NotifyTasks}

type listeners struct{ open []listener }

// listener is one subscription.
type listener struct {
	row    int32
	n, ack uint64
	x      uint32 // exchange, 0 on stdio
	id     string // raw JSON
	asked  []byte // the filter of the request
	ended  bool   // the server said that it ends
}

const maxListeners = 1024

// listening returns the subscriptions that are open, and the one that the message in
// hand belongs to, as follow does; no list when the message concerns none.
func listening(c *diagnose.Case) (*listeners, *listener) {
	if c.Call != nil && c.Call.Method != mcp.Listen {
		return nil, nil
	}
	l := diagnose.Memory[listeners](c)
	if len(l.open) == 0 && c.Call == nil {
		return nil, nil
	}
	return l, l.follow(c)
}

// follow keeps the list up to date. It returns the subscription that the
// message in hand belongs to, nil for none: by its exchange, or on stdio by the
// id it names.
func (l *listeners) follow(c *diagnose.Case) *listener {
	if c.Call != nil {
		if c.Call.Method != mcp.Listen || !c.Call.Modern || c.Call.Dir != wire.ToServer {
			return nil
		}
		for i := range l.open {
			if l.open[i].row == c.Call.Row {
				return &l.open[i]
			}
		}
		if c.Message.Kind != wire.MsgRequest || len(l.open) >= maxListeners {
			return nil
		}
		l.open = append(l.open, listener{
			row:   c.Call.Row,
			n:     c.N,
			x:     c.Call.X,
			id:    c.Call.ID,
			asked: wire.Get(c.Call.Params, "notifications"),
		})
		return &l.open[len(l.open)-1]
	}
	id := subscriptionID(c)
	for i := range l.open {
		s := &l.open[i]
		if c.Exchange != nil && s.x == c.Exchange.X || c.Exchange == nil && s.x == 0 && id != "" && sameToken(s.id, id) {
			return s
		}
	}
	return nil
}

// drop forgets a subscription.
func (l *listeners) drop(s *listener) {
	for i := range l.open {
		if &l.open[i] == s {
			l.open = append(l.open[:i], l.open[i+1:]...)
			return
		}
	}
}

// subscriptionID is the subscription that a notification says it is of, raw
// JSON, "" for none.
func subscriptionID(c *diagnose.Case) string {
	return string(wire.Get(c.Param("_meta"), mcp.MetaSubscriptionID))
}
