package oauth

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session/words/wordstest"
)

// FuzzBook takes in any frames, and a text wherever peers say one, and asks for the account, twice.
func FuzzBook(f *testing.F) {
	for _, text := range transcripts(f) {
		f.Add(text)
	}
	for _, s := range wordstest.Texts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := transcript.Everywhere(text)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := transcript.Parse(text); err == nil {
			all = append(all, s)
		}
		for _, s := range all {
			b := read(s)
			a := b.Account()
			if !reflect.DeepEqual(a, b.Account()) {
				t.Fatal("two accounts of the same frames differ")
			}
			sane(t, &a)
		}
	})
}

func sane(t *testing.T, a *Account) {
	t.Helper()
	if _, err := json.Marshal(a); err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Flows {
		if len(f.Steps) != int(Kinds) || f.Number == 0 || f.Try == 0 {
			t.Fatalf("%+v", f)
		}
		last := Ask
		for _, c := range f.Checks {
			if c.Step < last || f.Steps[c.Step].State != Failed {
				t.Fatalf("%+v in %+v", c, f)
			}
			last = c.Step
		}
		for _, s := range f.Steps {
			if len(s.Frames) > 6*maxAttempts || len(s.Text) > 4*maxText {
				t.Fatalf("%+v", s)
			}
		}
	}
}

// TestBounds: a hostile recording costs no more than a long honest one.
func TestBounds(t *testing.T) {
	var text strings.Builder
	text.WriteString("tap http\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "1.%d > POST /mcp%d | Host: h%d | User-Agent: u%d | Authorization: Bearer t%d || {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", i+1, i%200, i%300, i%7, i)
		fmt.Fprintf(&text, "1.%d < 401 | WWW-Authenticate: Bearer scope=\"%s\" || \n", i+1, strings.Repeat("s ", 600))
	}
	for i := range 3000 {
		fmt.Fprintf(&text, "2.%d > POST /token | Host: h1 | User-Agent: u1 || grant_type=refresh_token&refresh_token=r%d\n", i+5000, i)
		fmt.Fprintf(&text, "2.%d < 200 application/json || {\"access_token\":\"a%d\",\"token_type\":\"Bearer\",\"refresh_token\":\"r%d\"}\n", i+5000, i, i+1)
	}
	b := book(t, text.String())
	a := b.Account()
	if len(a.Flows) != maxFlows || a.LeftOut == 0 || len(b.kept) > maxKept || len(b.pending) > 0 {
		t.Errorf("%d flows, %d left out, %d credentials, %d pending", len(a.Flows), a.LeftOut, len(b.kept), len(b.pending))
	}
	sane(t, &a)
	for _, f := range b.flows {
		if len(f.grants) > 4*maxAttempts || len(f.requests) > 4*maxAttempts || len(f.refusals) > maxAttempts {
			t.Errorf("%d grants, %d requests, %d refusals", len(f.grants), len(f.requests), len(f.refusals))
		}
	}
}

// TestNothingLeaks: credentials of a recording that keeps them do not come out.
func TestNothingLeaks(t *testing.T) {
	for name, text := range transcripts(t) {
		for _, mask := range []string{"redacted:aaaaaaaa", "redacted:bbbbbbbb", "redacted:cccccccc", "redacted:ffffffff"} {
			text = strings.ReplaceAll(text, mask, "S3CRET-"+mask[9:])
		}
		out, _ := json.Marshal(book(t, text).Account())
		if strings.Contains(string(out), "S3CRET") || strings.Contains(string(out), "c2lnbmF0dXJl") {
			t.Errorf("%s: %s", name, out)
		}
	}
}
