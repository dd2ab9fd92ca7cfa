package redact

import (
	"slices"
	"strings"
	"testing"

	"midwire/session/wire"
)

// What is given away has the same mask for the same credential, in whatever
// order frames are asked for, and none with Keep.
func TestMasker(t *testing.T) {
	head := func() *wire.Frame {
		return &wire.Frame{Kind: wire.KindRequest, Dir: wire.ToServer, Data: []byte("GET /mcp HTTP/1.1\r\nAuthorization: Bearer sk-one\r\n\r\n")}
	}
	m := NewMasker(Options{})
	first, again, single := head(), head(), head()
	m.Frame(first)
	want := string(first.Data)
	m.Fresh().Frame(again)
	m.Single(single)
	if strings.Contains(want, "sk-one") || !strings.Contains(want, "Bearer redacted:") || !first.Masked {
		t.Errorf("%q", want)
	}
	if string(again.Data) != want || string(single.Data) != want {
		t.Errorf("%q, again %q, by itself %q", want, again.Data, single.Data)
	}
	twice := &wire.Frame{Kind: wire.KindRequest, Data: []byte(want)}
	if m.Frame(twice); string(twice.Data) != want || twice.Masked {
		t.Errorf("a mask was masked: %q", twice.Data)
	}
	other := head()
	if NewMasker(Options{}).Frame(other); string(other.Data) == want {
		t.Error("two exports have the same masks")
	}
	kept := head()
	if NewMasker(Options{Keep: true}).Fresh().Frame(kept); !strings.Contains(string(kept.Data), "sk-one") {
		t.Errorf("%q", kept.Data)
	}
}

// A part of a unit that is taken by itself does not depend on what was seen
// before.
func TestMaskerOfSingleParts(t *testing.T) {
	m := NewMasker(Options{})
	part := wire.Frame{Kind: wire.KindBody, Dir: wire.ToServer, X: 1, Part: wire.More, Data: []byte(`{"access_token":"sk-one`)}
	m.Single(&part)
	next := wire.Frame{Kind: wire.KindBody, Dir: wire.ToServer, X: 1, Data: []byte(`plain words`)}
	if m.Single(&next); string(next.Data) != "plain words" {
		t.Errorf("%q", next.Data)
	}
}

// What is written about the traffic, a command line and a text that quotes it,
// is masked like the traffic, and left alone with Keep.
func TestMaskerOfTexts(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	m, keep := NewMasker(Options{Shapes: true}), NewMasker(Options{Keep: true})
	for in, want := range map[string]string{
		"":                                      "",
		"http://localhost:3000/mcp?token=x&v=1": "http://localhost:3000/mcp?token=*&v=1",
		`it said {"access_token":"x","n":1}`:    `it said {"access_token":"*","n":1}`,
		"the token is " + token + ".":           "the token is *.",
		"it needs a password and a token":       "it needs a password and a token",
	} {
		if got := m.Text(in); plain([]byte(got)) != want {
			t.Errorf("%s becomes %s", in, got)
		}
		if got := keep.Text(in); got != in {
			t.Errorf("kept: %s becomes %s", in, got)
		}
	}
	command := []string{"npx", "server", "--api-key", "x", "--note=" + token, "/tmp"}
	if got := strings.Join(m.Command(command), " "); plain([]byte(got)) != "npx server --api-key redacted --note=* /tmp" {
		t.Errorf("%s", got)
	}
	if got := keep.Command(command); !slices.Equal(got, command) {
		t.Errorf("kept: %q", got)
	}
}

// The address of a server in the header of a recording.
func TestMaskURL(t *testing.T) {
	r := New(Options{}, testKey)
	for in, want := range map[string]string{
		"http://localhost:3000/mcp":             "http://localhost:3000/mcp",
		"https://anna:pw@h/mcp":                 "https://anna:*@h/mcp",
		"https://secret@h/mcp":                  "https://*@h/mcp",
		"https://h/mcp?key=1&code=2&v=3#token=": "https://h/mcp?key=*&code=*&v=3#token=",
	} {
		if got := r.URL(in); plain([]byte(got)) != want {
			t.Errorf("%s becomes %s", in, got)
		}
	}
}
