package handle

import (
	"fmt"
	"slices"
	"testing"
)

// found writes values down: where, what, and how it was recognised.
func found(values func(yield func(Value))) []string {
	var out []string
	values(func(v Value) {
		s := v.Path.String() + " = " + v.Text
		switch {
		case v.Special:
			s += " special"
		case v.Named:
			s += " by name"
		case v.Part:
			s += fmt.Sprintf(" at %d of %q", v.From, v.Whole)
		}
		out = append(out, s)
	})
	return out
}

// What a server issues: what the protocol makes a handle, what looks like
// one, what is called so, and the same within a text.
func TestOffered(t *testing.T) {
	for _, tt := range []struct {
		method, message string
		want            []string
	}{
		{"tools/call", `{"result":{"content":[{"type":"text","text":"# a\n[session: k3J9xQ2mZ8wP]"}]}}`, []string{
			`result.content[0].text = k3J9xQ2mZ8wP at 14 of "# a\n[session: k3J9xQ2mZ8wP]"`,
		}},
		{"tools/call", `{"result":{"structuredContent":{"browser_id":"b1","name":"auth"}}}`, []string{"result.structuredContent.browser_id = b1 by name"}},
		{"tools/list", `{"result":{"tools":[{"name":"k3J9xQ2mZ8wP"}],"nextCursor":"p2"}}`, []string{"result.nextCursor = p2 special"}},
		{"tools/call", `{"result":{"content":[{"type":"text","text":"all done, nothing to see"}],"isError":false}}`, nil},
		{"tools/call", `{"params":{"cursor":"k3J9xQ2mZ8wP"}}`, nil},
		{"tools/call", `no JSON`, nil},
	} {
		got := found(func(yield func(Value)) { Issued([]byte(tt.message), tt.method, yield) })
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s\n got %q\nwant %q", tt.message, got, tt.want)
		}
	}
}

// What a client uses; its own words are none of it.
func TestPassed(t *testing.T) {
	for message, want := range map[string][]string{
		`{"params":{"name":"edit","arguments":{"session_id":"k3J9xQ2mZ8wP"},"_meta":{"progressToken":"k3J9xQ2mZ8wP"}}}`: {"params.arguments.session_id = k3J9xQ2mZ8wP by name"},
		`{"params":{"uri":"doc://k3J9xQ2mZ8wP/1"}}`:                                        {"params.uri = doc://k3J9xQ2mZ8wP/1", `params.uri = k3J9xQ2mZ8wP at 6 of "doc://k3J9xQ2mZ8wP/1"`, `params.uri = //k3J9xQ2mZ8wP/1 at 4 of "doc://k3J9xQ2mZ8wP/1"`},
		`[{"params":{"cursor":"p2"}}]`:                                                     {"[0].params.cursor = p2 by name"},
		`{"params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"k3J9xQ2mZ8wP"}}}`: nil,
		`{"result":{"cursor":"p2"}}`:                                                       nil,
	} {
		got := found(func(yield func(Value)) { Used([]byte(message), yield) })
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", message, got, want)
		}
	}
}

// An error speaks of a handle by its value, or by what it is called.
func TestBlamed(t *testing.T) {
	for _, tt := range []struct {
		text, value, name, kind string
		want                    bool
	}{
		{"no document for DOC-f7170c", "doc-f7170c", "id", "handle", true},
		{"No such session", "4be1c09a77", "session_id", "handle", true},
		{"Session not found", "5e55ed", "Mcp-Session-Id", "session id", true},
		{"Invalid cursor", "b2Zm", "nextCursor", "cursor", true},
		{"the browser was closed", "b1", "browserId", "handle", true},
		{"disk full", "4be1c09a77", "session_id", "handle", false},
		{"unknown tool", "4be1c09a77", "id", "handle", false},
	} {
		if got := Blamed(tt.text, tt.value, tt.name, tt.kind); got != tt.want {
			t.Errorf("%q of %s %s: %v", tt.text, tt.name, tt.value, got)
		}
	}
}
