package resilience

import (
	"slices"

	"midwire/replay/checks"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// conduct lists the rules that say what a client did about a failure. Others tell
// what a fault changed on the way, like a header that is missing: that is our own
// doing.
var conduct = []string{
	"call-loop", "credential-loop", "cursor-altered", "foreign-version", "initialize-cancelled", "initialize-with-dead-id",
	"question-unanswered", "reconnect-too-early", "refresh-token-reused",
	"request-id-reused", "response-from-client", "retry-reuses-id", "session-not-renewed", "stdin-noise",
	"stream-not-resumed",
}

// spoils lists the faults that make a response one that no client may take for
// good.
var spoils = []string{"truncate-json", "garbage-line", "html", "schema-corrupt", "wrong-version", "error", "tool-error"}

// spoilt says whether what the gate edits of responses cannot be used. said is that
// the client says that something went wrong.
func (f *Fault) spoilt(said bool) bool {
	return slices.Contains(spoils, f.Name) || said && slices.Contains(doubts, f.Name)
}

// doubts lists the faults that make a response one that not every client can read.
// What a client says decides whether it did.
var doubts = []string{"bom", "huge-result", "id-as-text", "two-on-a-line"}

// Elsewhere says why a fault need not be played over a transport, "" when it must.
func (f *Fault) Elsewhere(tap string) string {
	if tap == "stdio" && slices.Contains([]string{"cut-stream", "reset", "half-close"}, f.Name) {
		return "on stdio that is a server that is killed: kill-server"
	}
	return ""
}

// looksGood says whether a client that does not check takes what the gate made for
// a result.
func (f *Fault) looksGood() bool { return f.Name == "schema-corrupt" }

// broke is the first error of a trial in what its client did that the base does
// not have, nil for none.
func broke(t, base *Trial) (*diagnose.Finding, *Tape) {
	known := map[string]bool{}
	for _, tape := range base.Tapes {
		for _, f := range tape.findings() {
			known[f.Rule.ID] = true
		}
	}
	for _, tape := range t.Tapes {
		for _, f := range tape.findings() {
			bad := f.Severity == diagnose.Error && f.Side == diagnose.Client && f.Confidence != diagnose.Possible
			if bad && !known[f.Rule.ID] && slices.Contains(conduct, f.Rule.ID) {
				return f, tape
			}
		}
	}
	return nil, nil
}

// demands is what a fault asks of a client besides: a sentence when it was not
// done, with the frame that shows it.
func (f *Fault) demands(t *Trial) (why string, at checks.Evidence) {
	if f.Offer != nil {
		return f.answers(t)
	}
	for _, tape := range t.Tapes {
		for _, a := range tape.did() {
			switch {
			case f.Name == "wrong-version" && a.What == wire.GateEdit:
				for _, c := range tape.calls() {
					if c.T > a.t {
						return "it goes on with a protocol version that nobody knows",
							checks.Evidence{Recording: tape.ID, Frame: uint64(c.Request), Shows: "goes on with " + c.what}
					}
				}
			case f.Name == "list-changed-storm" && a.What == wire.GateInject:
				if at := tape.storm(a.t); at != 0 {
					return "it asks for the list again for each change", checks.Evidence{Recording: tape.ID, Frame: at, Shows: "asks again"}
				}
			}
		}
	}
	return "", checks.Evidence{}
}

// storm is the last request for the list behind a moment, when there are as many as
// changes of it: changes that come in one go need one.
func (t *Tape) storm(since int64) (last uint64) {
	changes, lists := 0, 0
	for _, a := range t.did() {
		if a.What == wire.GateInject {
			changes++
		}
	}
	for _, c := range t.calls() {
		if c.what == mcp.ToolsList && c.T >= since {
			lists, last = lists+1, uint64(c.Request)
		}
	}
	if changes < 2 || lists < changes {
		return 0
	}
	return last
}
