package redact

import (
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
	m.Again().Frame(again)
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
	if NewMasker(Options{Keep: true}).Again().Frame(kept); !strings.Contains(string(kept.Data), "sk-one") {
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
