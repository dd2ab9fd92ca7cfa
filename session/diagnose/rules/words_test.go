package rules

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"midwire/session/diagnose/sdkwords"
)

// What clients send, and how the first exchanges of a session go.
const (
	wHello  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"1.0"}}}`
	wServed = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"2.0"}}}`
	wReady  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	wTools  = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`
	wList   = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	wCall   = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{}}}`

	wAnyMedia = " | Accept: application/json, text/event-stream"
	wIsJSON   = " | Content-Type: application/json"
	wID       = " | Mcp-Session-Id: 5c1d1b1e-6a54-4f0c-8b52-0b5f3f1d9a01"
	wVersion  = " | MCP-Protocol-Version: 2025-06-18"
	wAgain    = wAnyMedia + wIsJSON + wID + wVersion + " || "

	wOpened = "tap http\n1.1 > POST /mcp" + wAnyMedia + wIsJSON + " || " + wHello +
		"\n1.1 < 200 application/json" + wID + " || " + wServed +
		"\n1.2 > POST /mcp" + wAgain + wReady + "\n1.2 < 202 ||\n"
	wListing = "1.3 > POST /mcp" + wAgain + wList + "\n1.3 < 200 application/json || " + wTools + "\n"
)

// sameWords are refusals that mean the same, and the rule that must know them all. The
// transcript has @ where they stand, with the status where they come with another: then
// the words decide.
var sameWords = []struct {
	rule, transcript string
	status           string // "" for their own
	means            []sdkwords.Meaning
}{
	{
		"session-unknown-status", wOpened + wListing + "1.4 > POST /mcp" + wAgain + wList + "\n1.4 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.SessionUnknown, sdkwords.SessionEnded},
	},
	{
		"handshake-skipped", "tap stdio\n> " + wList + "\n< @\n", "",
		[]sdkwords.Meaning{sdkwords.InitializeMissing, sdkwords.NotInitialized},
	},
	{
		"session-header-missing",
		wOpened + "1.3 > POST /mcp" + wAnyMedia + wIsJSON + wVersion + " | User-Agent: x || " + wList + "\n1.3 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.SessionIDMissing},
	},
	{
		"transport-shared", wOpened + "2.1 > POST /mcp" + wAnyMedia + wIsJSON + " | User-Agent: x || " + wHello + "\n2.1 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.AlreadyInitialized},
	},
	{
		"version-header-refused", wOpened + "1.3 > POST /mcp" + wAgain + wList + "\n1.3 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.VersionUnsupported, sdkwords.VersionHeader},
	},
	{
		"accept-incomplete", wOpened + "1.3 > POST /mcp | Accept: */*" + wIsJSON + wID + wVersion + " || " + wList + "\n1.3 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.NotAcceptable},
	},
	{
		"media-type-refused", wOpened + "1.3 > POST /mcp" + wAnyMedia + " | Content-Type: text/plain" + wID + wVersion + " || " + wList + "\n1.3 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.ContentType},
	},
	{
		"host-rejected", "tap http\n1.1 > POST /mcp | Host: evil.example | Origin: https://evil.example" + wAnyMedia + wIsJSON + " || " + wHello + "\n1.1 < @\n", "403",
		[]sdkwords.Meaning{sdkwords.HostRejected, sdkwords.OriginRejected},
	},
	{
		"message-refused", wOpened + "1.3 > POST /mcp" + wAgain + wList + "\n1.3 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.Unreadable},
	},
	{
		"request-too-large", wOpened + "1.3 > POST /mcp" + wAgain + wList + "\n1.3 < @\n", "",
		[]sdkwords.Meaning{sdkwords.TooLarge},
	},
	{
		"stream-refused",
		wOpened + "2.3 > GET /mcp | Accept: text/event-stream" + wID + wVersion + "\n2.3 < 200 text/event-stream\nwait 5000\n2.3 close client\n" +
			"wait 100\n3.4 > GET /mcp | Accept: text/event-stream" + wID + wVersion + "\n3.4 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.StreamExists},
	},
	{
		"wrong-url", "tap http\n1.1 > POST /messages" + wAnyMedia + wIsJSON + " || " + wHello + "\n1.1 < @\n", "400",
		[]sdkwords.Meaning{sdkwords.SessionInURL},
	},
	{
		"listed-unknown", "tap stdio\n> " + wHello + "\n< " + wServed + "\n> " + wReady + "\n> " + wList + "\n< " + wTools + "\n> " + wCall + "\n< @\n", "",
		[]sdkwords.Meaning{sdkwords.ToolUnknown},
	},
}

// TestTheSameInOtherWords: the same cause gets the same finding, whatever SDK says it.
func TestTheSameInOtherWords(t *testing.T) {
	fill := strings.NewReplacer("…", "read", "*", "read")
	for _, one := range sameWords {
		sdks := map[string]bool{}
		for _, p := range sdkwords.Phrases() {
			if p.General || p.Place == "log" || p.Place == "header" || p.SDK == "midwire" ||
				!slices.ContainsFunc(p.Means, func(m sdkwords.Meaning) bool { return slices.Contains(one.means, m) }) {
				continue
			}
			text := inPlace(p, fill.Replace(p.Text), strings.HasPrefix(one.transcript, "tap stdio"), one.status, 2+strings.Count(one.transcript, wCall))
			if text == "" {
				continue
			}
			sdks[p.SDK] = true
			found := check(t, strings.Replace(one.transcript, "@", text, 1))
			var ids []string
			for _, f := range found {
				ids = append(ids, f.Rule.ID)
			}
			if !slices.Contains(ids, one.rule) {
				t.Errorf("%s: %s says %q, and it found %v", one.rule, p.SDK, p.Text, ids)
			}
		}
		if len(sdks) < 3 {
			t.Errorf("%s is known in the words of %d SDKs", one.rule, len(sdks))
		}
	}
}

// inPlace is a response with a phrase, on stdio or over HTTP; "" when it is not said there.
func inPlace(p *sdkwords.Phrase, text string, stdio bool, status string, id int) string {
	code := json.Number(p.Code)
	if p.Code == "-" {
		code = "-32000"
	}
	e := map[string]any{"code": code, "message": text}
	if p.Place == "data" {
		e["message"] = "Invalid Request"
		e["data"] = text
		if strings.HasPrefix(text, `"`) {
			e["data"] = json.RawMessage("{" + strings.TrimSuffix(text, `"`) + `"}`)
		}
	}
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": e})
	status = cmp.Or(status, p.Status)
	switch {
	case stdio && p.Place != "body":
		return string(raw)
	case stdio || status == "-":
		return ""
	case p.Place == "body":
		return status + " text/plain || " + text
	}
	return status + " application/json || " + string(raw)
}

// TestMeaningsNameRules holds the table to the rules.
func TestMeaningsNameRules(t *testing.T) {
	for _, m := range sdkwords.Meanings() {
		for _, id := range m.Rules() {
			if r := Find(id); r == nil || r.ID != id {
				t.Errorf("%s is said to be explained by %s, which is no rule", m, id)
			}
		}
	}
}
