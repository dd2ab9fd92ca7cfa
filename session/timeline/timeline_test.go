package timeline

import (
	"testing"

	"midwire/session"
	"midwire/session/wire"
)

func TestEvents(t *testing.T) {
	call := session.Row{Kind: session.RowCall, Dir: wire.ToServer, Request: 3, T: 10, Parent: -1}
	pending, lost, failed, stream := call, call, call, call
	pending.Ending = session.Waiting
	lost.Ending, lost.End = session.Unanswered, 20
	failed.Ending, failed.End, failed.Response = session.Refused, 20, 5
	stream.Kind, stream.Ending, stream.First, stream.End, stream.Response = session.RowHTTP, session.Served, 12, 90, 4
	for name, c := range map[string]struct {
		row   session.Row
		begin Event
		ended bool
		end   Event
	}{
		"pending":      {pending, Event{3, 10, '>', Request, false}, false, Event{}},
		"lost":         {lost, Event{3, 10, '>', Request, true}, false, Event{}},
		"failed":       {failed, Event{3, 10, '>', Request, false}, true, Event{5, 20, '<', Response, true}},
		"stream":       {stream, Event{3, 10, '>', Request, false}, true, Event{4, 12, '<', Response, false}},
		"notification": {session.Row{Kind: session.RowNotification, Request: 1, Dir: '<'}, Event{1, 0, '<', Notification, false}, false, Event{}},
		"noise":        {session.Row{Kind: session.RowNoise, Request: 1, Dir: '<'}, Event{1, 0, '<', Response, true}, false, Event{}},
		"stderr":       {session.Row{Kind: session.RowStderr, Request: 1, Dir: '<'}, Event{1, 0, '<', Note, false}, false, Event{}},
	} {
		if got := Begin(&c.row); got != c.begin {
			t.Errorf("%s begins with %+v, want %+v", name, got, c.begin)
		}
		if Ended(&c.row) != c.ended || c.ended && End(&c.row) != c.end {
			t.Errorf("%s ends with %v %+v, want %+v", name, Ended(&c.row), End(&c.row), c.end)
		}
	}
}
