package oauth

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
)

func book(t testing.TB, text string) *Book {
	t.Helper()
	s, err := transcript.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return read(s)
}

// read is the book of a transcript.
func read(s *transcript.Transcript) *Book {
	var b *Book
	t := session.New(session.Options{Tap: s.Tap, Watch: func(e *session.Event) {
		b.Watch(e)
		for _, c := range b.Deviations(e, "2025-06-18") {
			if c.Rule == "" || len(c.Evidence()) == 0 || strings.Contains(c.A.Value+c.B.Value+c.Text, "S3CRET") {
				panic(c)
			}
		}
	}})
	b = New(t)
	b.Set(Options{Started: 1_700_000_000e9})
	for _, f := range s.Frames {
		t.Apply(f)
	}
	b.Finish()
	return b
}

func transcripts(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = string(text)
	}
	return all
}

// TestFlows reads transcripts that begin with what is to be seen: for each flow
// the outcome, a letter a step (d f s n: done, failed, skipped, not seen), and
// the checks that fail.
func TestFlows(t *testing.T) {
	for name, text := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			first, _, _ := strings.Cut(text, "\n")
			want := strings.TrimPrefix(first, "#= ")
			var got []string
			a := book(t, text).Account()
			for _, f := range a.Flows {
				var states []byte
				for _, s := range f.Steps {
					states = append(states, s.State.String()[0])
				}
				one := []string{string(f.Outcome), string(states)}
				for _, c := range f.Checks {
					one = append(one, c.ID)
					if c.Who == Midwire {
						one = append(one, "midwire")
					}
					if c.A.Value == c.B.Value && c.ID != "registration-not-offered" && c.ID != "refresh-token-reused" {
						t.Errorf("%s compares %q with itself", c.ID, c.A.Value)
					}
					if c.A.N+c.B.N == 0 || c.Fix == "" || c.Text == "" || c.Who == "" {
						t.Errorf("%+v lacks something", c)
					}
				}
				got = append(got, strings.Join(one, " "))
			}
			if all := strings.Join(got, "; "); all != want {
				t.Errorf("got  %s\nwant %s", all, want)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	f := book(t, transcripts(t)["good.txt"]).Account().Flows[0]
	for kind, want := range map[Kind][]Link{
		Ask:          {{"scope", "files:read"}},
		Resource:     {{"resource", "https://mcp.example.com/mcp"}, {"authorization_server", "https://auth.example.com"}},
		Server:       {{"issuer", "https://auth.example.com"}, {"token_endpoint", "https://auth.example.com/token"}},
		Registration: {{"client_id", "c-1"}, {"redirect_uri", "http://127.0.0.1:4000/cb"}},
		Authorize:    {{"code_challenge_method", "S256"}},
		Token:        {{"access_token", "redacted:aaaaaaaa"}, {"expires_in", "3600"}},
		Use:          {{"access_token", "redacted:eeeeeeee"}},
		Refresh:      {{"refresh_token", "redacted:bbbbbbbb"}, {"access_token", "redacted:cccccccc"}},
		StepUp:       {{"scope", "files:read files:write"}},
	} {
		for _, l := range want {
			if !slices.Contains(f.Steps[kind].Links, l) {
				t.Errorf("%v: %+v lacks %+v", kind, f.Steps[kind].Links, l)
			}
		}
		if len(f.Steps[kind].Frames) == 0 {
			t.Errorf("%v has no frames", kind)
		}
	}
	if f.Client != "desk 2.0" || f.URL != "https://mcp.example.com/mcp" || f.Version != "2025-11-25" || f.Session != 1 {
		t.Errorf("%+v", f)
	}
}

// TestClaims: a token that the recording keeps shows its claims, and nothing of
// itself.
func TestClaims(t *testing.T) {
	f := book(t, transcripts(t)["audience.txt"]).Account().Flows[0]
	c := f.Credentials[0]
	if c.Mask != "kept:1" || !slices.Contains(c.Claims, Claim{"aud", `"https://other.example.com/mcp"`}) {
		t.Errorf("%+v", c)
	}
	for _, s := range f.Steps {
		for _, l := range s.Links {
			if strings.Contains(l.Value, "eyJ") {
				t.Errorf("a token shows: %+v", l)
			}
		}
	}
	first := f.First()
	if first.A.Value != "https://mcp.example.com/mcp" || first.B.Value != "https://other.example.com/mcp" {
		t.Errorf("%+v", first)
	}
}
