package mcp_test

import (
	"testing"
	"unicode/utf8"

	"midwire/session/mcp"
	"midwire/session/words/wordstest"
)

// FuzzTexts: names in all alphabets are none of the protocol's.
func FuzzTexts(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s)
		f.Add("notifications/" + s)
		f.Add("tools/" + s + "call")
	}
	f.Add("Tools.Call")
	f.Add("toolſ/\u212aall")
	f.Fuzz(func(t *testing.T, s string) {
		for _, notification := range []bool{false, true} {
			if meant := mcp.Misspelled(s, notification); meant == s && s != "" || meant != "" && mcp.Misspelled(meant, notification) != "" {
				t.Fatalf("%q is taken for %q", s, meant)
			}
		}
		mcp.IsMetaDefined([]byte(s))
		mcp.Version(s).IsDate()
		mcp.SpecURL(s, mcp.Version(s))
		_ = mcp.Target(s)
		_ = mcp.NameParam(s)
		if got, ok := mcp.DecodeHeader(mcp.EncodeHeader(s)); utf8.ValidString(s) && ok && got != s {
			t.Fatalf("%q is read as %q", s, got)
		}
	})
}
