package handle

import (
	"encoding/json"
	"strings"
	"testing"

	"midwire/session/wire"
	"midwire/session/words/wordstest"
)

// TestNamesInAllAlphabets: the end of a name says what it holds, whatever stands
// before it.
func TestNamesInAllAlphabets(t *testing.T) {
	for name, want := range map[string]bool{
		"İID": true, "İİİİSession": true, "ẞ_token": true, "ȺȺȺȺkeyȺ": false, "İd": false, "İvalid": false, "KİTAPid": false, "界ID": true, "\xffID": true,
	} {
		if Named(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	for _, s := range wordstest.Valid() {
		if !Named(s+"_id") || !Blamed(s+" SESSION 0a1b is gone "+s, "0A1B", "", "") || !Blamed(s+" the Session "+s, "", "Mcp-Session-Id", "") {
			t.Errorf("%q hides a handle", s)
		}
	}
}

// FuzzTexts: whatever a message holds, tokens and handles stand where they are
// said to stand.
func FuzzTexts(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s+"ID", s+" [session: ab12cd34ef56] "+s, "sessionID")
		f.Add("session_id", "x", s)
	}
	for _, s := range wordstest.JSON() {
		f.Add("id", s, s)
	}
	f.Fuzz(func(t *testing.T, name, text, key string) {
		Named(name)
		Opaque(text)
		Blamed(text, name, key, Why(name))
		Tokens(text, func(from int, token string, c Class) {
			if !strings.HasPrefix(text[from:], token) || c.Run(text, from) != token {
				t.Fatalf("%q at %d of %q", token, from, text)
			}
			if label := Label(text, from); !strings.Contains(text[:from], label) {
				t.Fatalf("%q at %d of %q is called %q", token, from, text, label)
			}
		})
		quote := func(s string) string {
			if wire.Valid([]byte(s)) && strings.HasPrefix(s, `"`) {
				return s
			}
			b, _ := json.Marshal(s)
			return string(b)
		}
		member := quote(key) + ":{" + quote(name) + ":" + quote(text) + "}"
		payload := []byte(`{"params":{` + member + `},"result":{` + member + `}}`)
		look := func(v Value) {
			if v.Part && (v.To-v.From != len(v.Text) || v.Whole[v.From:v.To] != v.Text) {
				t.Fatalf("%q is said to be at %d to %d of %q", v.Text, v.From, v.To, v.Whole)
			}
			if from, to, ok := Find(payload, v.Path.String(), v.Text); ok && (from < 0 || to < from || to > len(payload)) {
				t.Fatalf("%q is at %d to %d of %d", v.Text, from, to, len(payload))
			}
		}
		Used(payload, look)
		Issued(payload, "tools/call", look)
	})
}
