package forward

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"midwire/session/encoding"
	"midwire/session/wire"
)

const (
	prm      = "/.well-known/oauth-protected-resource/mcp"
	metadata = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
)

func ask(target string) string { return "GET " + target + " HTTP/1.1\r\nHost: mcp.test\r\n\r\n" }

func reply(body string) string { return fmt.Sprintf(metadata, len(body), body) }

// observed plays traffic, > to the server and < to the client, in pieces.
func observed(t *testing.T, l *Learner, piece int, traffic ...string) (said []string) {
	t.Helper()
	w := newWatch(l, "mcp.test:443", func(text string) { said = append(said, text) })
	for _, text := range traffic {
		dir := wire.ToServer
		if text[0] == '<' {
			dir = wire.ToClient
		}
		for part := range slices.Chunk([]byte(text[1:]), piece) {
			w.see(dir, part)
		}
	}
	return said
}

var gzipped = string(encoding.Gzip.Encode([]byte(`{"authorization_servers":["https://auth.test"]}`)))

var logins = []struct {
	name    string
	traffic []string
	learnt  string // HOST:PORT, separated by spaces
}{
	{"resource metadata", []string{">" + ask(prm), "<" + reply(`{"resource":"https://mcp.test/mcp","authorization_servers":["https://auth.test/t","https://b.test:8443"]}`)}, "auth.test:443 b.test:8443"},
	{"server metadata", []string{">" + ask("/.well-known/openid-configuration"), "<" + reply(`{"issuer":"https://a.test","token_endpoint":"https://token.test/t","authorization_endpoint":"https://login.test/","code_challenge_methods_supported":["S256"]}`)}, "a.test:443 token.test:443"},
	{"a path before it", []string{">" + ask("/tenant/.well-known/openid-configuration?x=1"), "<" + reply(`{"issuer":"https://A.test./"}`)}, "a.test:443"},
	{"compressed", []string{">" + ask(prm), "<HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + fmt.Sprint(len(gzipped)) + "\r\n\r\n" + gzipped}, "auth.test:443"},
	{"to the end of the connection", []string{">" + ask(prm), "<HTTP/1.1 200 OK\r\n\r\n{\"authorization_servers\":[\"https://auth.test\"]}"}, "auth.test:443"},
	{
		"a challenge",
		[]string{
			">POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
			"<HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer error=\"invalid_token\", resource_metadata=\"https://meta.test/r\"\r\nContent-Length: 0\r\n\r\n",
			">" + ask("/r"), "<" + reply(`{"authorization_servers":["https://not-the-same-host.test"]}`),
		},
		"meta.test:443",
	},
	{
		"a document elsewhere, announced",
		[]string{
			">" + ask("/mcp"),
			"<HTTP/1.1 403 No\r\nwww-authenticate: Basic\r\nWWW-Authenticate: Bearer resource_metadata=https://mcp.test/r\r\nContent-Length: 0\r\n\r\n",
			">" + ask("/r"), "<" + reply(`{"authorization_servers":["https://auth.test"]}`),
		},
		"auth.test:443",
	},
	{
		"redirected",
		[]string{">" + ask(prm), "<HTTP/1.1 302 Found\r\nLocation: https://cdn.test/prm\r\nContent-Length: 0\r\n\r\n"},
		"cdn.test:443",
	},
	{
		"pipelined, behind 100",
		[]string{
			">POST /mcp HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}" + ask(prm),
			"<HTTP/1.1 100 Continue\r\n\r\n" + reply("{}") + reply(`{"authorization_servers":["https://auth.test"]}`),
		},
		"auth.test:443",
	},
	// Near misses.
	{"another document", []string{">" + ask("/mcp"), "<" + reply(`{"authorization_servers":["https://auth.test"],"issuer":"https://a.test"}`)}, ""},
	{"posted", []string{">POST " + prm + " HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "<" + reply(`{"authorization_servers":["https://auth.test"]}`)}, ""},
	{"not found", []string{">" + ask(prm), "<HTTP/1.1 404 No\r\nContent-Length: 23\r\n\r\n{\"issuer\":\"https://a.t\"}"}, ""},
	{"a challenge for a password", []string{">" + ask("/"), "<HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"https://a.test\"\r\nContent-Length: 0\r\n\r\n"}, ""},
	{"a challenge in a success", []string{">" + ask("/"), "<HTTP/1.1 200 OK\r\nWWW-Authenticate: Bearer resource_metadata=\"https://a.test/\"\r\nContent-Length: 0\r\n\r\n"}, ""},
	{"a redirect of something else", []string{">" + ask("/mcp"), "<HTTP/1.1 302 Found\r\nLocation: https://cdn.test/\r\nContent-Length: 0\r\n\r\n"}, ""},
	{"no URLs", []string{">" + ask(prm), "<" + reply(`{"authorization_servers":["auth.test","ftp://x.test",7,"https://"],"issuer":{}}`)}, ""},
	{"an address", []string{">" + ask(prm), "<" + reply(`{"authorization_servers":["https://10.0.0.9","https://[::1]"]}`)}, ""},
	{"another protocol", []string{">" + ask(prm), "<HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n" + reply(`{"issuer":"https://a.test"}`)}, ""},
	{"models", []string{">" + ask(prm), "<" + reply(`{"authorization_servers":["https://api.anthropic.com/","https://eu.api.openai.com","https://llm.corp.test/v1","https://bedrock-runtime.us-east-1.amazonaws.com"]}`)}, ""},
	{"too long", []string{">" + ask(prm), "<" + reply(`{"x":"`+strings.Repeat("x", maxDocument)+`","issuer":"https://a.test"}`)}, ""},
}

func TestLearn(t *testing.T) {
	for _, tc := range logins {
		for _, piece := range []int{1, 7, 1 << 20} {
			l := &Learner{Hosts: &Hosts{all: []host{{"mcp.test", ""}}}, Never: []string{"llm.corp.test"}}
			said := observed(t, l, piece, tc.traffic...)
			want := strings.Fields(tc.learnt)
			for _, origin := range want {
				if !l.Has(origin) {
					t.Errorf("%s: %s is not learnt; said: %q", tc.name, origin, said)
				}
			}
			if len(l.origins) != len(want) {
				t.Errorf("%s: learnt %v, want %q", tc.name, l.origins, want)
			}
			if len(said) != len(want)+len(l.refused) {
				t.Errorf("%s: said %q", tc.name, said)
			}
		}
	}
}

func TestLearnNoMoreThanALoginHas(t *testing.T) {
	l := &Learner{Hosts: &Hosts{}}
	for i := range 2 * maxLearnt {
		l.learn(fmt.Sprintf("https://a%d.test", i), "issuer", "mcp.test:443")
	}
	if len(l.origins) != maxLearnt {
		t.Error(len(l.origins))
	}
}

func TestModelHosts(t *testing.T) {
	got := ModelHosts([]string{
		"ANTHROPIC_BASE_URL=https://LLM.corp.test:8443/v1", "OPENAI_API_BASE=http://a.test", "AZURE_OPENAI_ENDPOINT=https://b.test/",
		"OLLAMA_HOST=c.test:11434", "HOME=/root", "X_BASE_URL=relative", "MCP_URL=https://mcp.test", "OAUTH_TOKEN_ENDPOINT=https://no.test",
	})
	if want := []string{"llm.corp.test", "a.test", "b.test", "c.test"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
