package resilience

import (
	"strings"
	"testing"
	"time"

	"midwire/replay/checks"
)

const (
	listed   = "> {\"jsonrpc\":\"2.0\",\"id\":%,\"method\":\"tools/list\"}\n< {\"jsonrpc\":\"2.0\",\"id\":%,\"result\":{\"tools\":[]}}\n"
	changed  = "< {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"
	cancels2 = "> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n"
	get5     = "1.5 > GET /mcp | Accept: text/event-stream | Mcp-Session-Id: s1 | MCP-Protocol-Version: 2025-11-25\n1.5 < 200 text/event-stream\n"
)

func lists(id string) string { return strings.ReplaceAll(listed, "%", id) }

// TestHabits are clients that do the same without the fault: that is no sign of it.
func TestHabits(t *testing.T) {
	one, two := says("1")+gets("1"), says("2")+gets("2")
	for _, c := range []judged{
		{
			name: "it lists again when it is told of changes, which nobody did", fault: "forget-handshake",
			base: stdio1 + lists("8") + changed + lists("9") + one + leaves,
			tape: strings.TrimSuffix(stdio1, "> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n") +
				"> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\ngate > drop\n" + lists("8") + one + leaves,
			want: checks.Recovered, why: "it went on",
		},
		{
			name: "it cancels what it was served", fault: "delay",
			base: stdio1 + one + two + cancels2 + leaves,
			tape: stdio1 + one + says("2") + gets("2") + "gate < delay 1000\nwait 1000\ngate < release\n" + cancels2 + leaves,
			want: checks.Recovered, why: "it went on",
		},
		{
			name: "it listens on a stream that sends all again", fault: "lower-protocol",
			base: session1 + call1(3, "1"), tape: session1 + "gate < edit\n" + call1(3, "1") + get5 +
				`1.5 event id: 2 | data: {"jsonrpc":"2.0","id":0,"result":{}}` + "\n1.5 close client\n",
			want: checks.Recovered, why: "it went on",
		},
		{
			name: "what was held came once more on another stream, and it left", fault: "delay",
			base: http, tape: session1 + call1(3, "1") + call1(4, "2") + "gate < delay 10000\n" + get5 +
				`1.5 event id: 2 | data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}` + "\n1.5 close client\n" + "gate < gone\n",
			want: checks.Recovered,
		},
		{
			name: "it could not read it, said so and did not cancel", fault: "bom",
			base: stdio, tape: stdio1 + one + two + "gate < edit\n" + leaves, end: failed, want: checks.Told, why: "tools/call echo did not come",
		},
		{
			name: "a line between messages is spoken of, and does no harm", fault: "stdout-noise",
			base: stdio, tape: stdio1 + one + two + "gate < edit\n" + leaves, end: failed, want: checks.Recovered,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge(
				&Trial{Fault: Fault{Name: c.fault}, Started: 1e9, Tapes: []*Tape{tape(t, "one", c.tape)}, End: c.end},
				&Trial{Started: 1e9, Tapes: []*Tape{tape(t, "base", c.base)}})
			if got.Outcome != c.want || !strings.Contains(got.Text, c.why) {
				t.Errorf("got %s %q; want %s %q", got.Outcome, got.Text, c.want, c.why)
			}
		})
	}
}

// The time to a response that was held counts to the moment at which it was let go.
func TestHeldResponseArrivesLate(t *testing.T) {
	held := stdio1 + says("1") + gets("1") + "gate < delay 10000\nwait 10000\ngate < release\n" + leaves
	got := Judge(
		&Trial{Fault: Fault{Name: "delay"}, Started: 1e9, Tapes: []*Tape{tape(t, "one", held)}},
		&Trial{Started: 1e9, Tapes: []*Tape{tape(t, "base", stdio1+says("1")+gets("1")+leaves)}})
	if got.Outcome != checks.Recovered || got.After < 10*time.Second {
		t.Errorf("%s after %s", got.Outcome, got.After)
	}
}
