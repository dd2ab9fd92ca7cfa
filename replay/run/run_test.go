package run

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
)

func TestHealthyRecordingsReplayTheSame(t *testing.T) {
	url := replaytest.ServeDocs(t)
	for name, path := range replaytest.Recordings(t) {
		t.Run(name, func(t *testing.T) {
			s := load(t, path)
			opt := Options{Server: peer.Server{Command: replaytest.Serve()}}
			if s.Header.Tap == "http" {
				opt = Options{Server: peer.Server{URL: replaytest.URL(t, url)}}
			}
			allSame(t, replayed(t, path, opt), len(s.Calls))
		})
	}
}

// Recorded over one transport, replayed over another.
func TestAcrossTransports(t *testing.T) {
	url := replaytest.ServeDocs(t)
	stdio := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, true) })
	http := replaytest.OverHTTP(t, url, func(origin string) {
		replaytest.Play(t, replaytest.Host(t, &mcp.StreamableClientTransport{Endpoint: origin + "/mcp"}, "2025-06-18"), true)
	})
	modern := replaytest.OverStdio(t, replaytest.Serve(), "", func(s *mcp.ClientSession) { replaytest.Play(t, s, false) })
	for name, c := range map[string]struct {
		path string
		opt  Options
	}{
		"stdio to http":          {stdio, Options{Server: peer.Server{URL: replaytest.URL(t, url+"/mcp")}}},
		"stdio to sse":           {stdio, Options{Server: peer.Server{URL: replaytest.URL(t, url+"/sse")}}},
		"http to stdio":          {http, Options{Server: peer.Server{Command: replaytest.Serve()}}},
		"http to sse":            {http, Options{Server: peer.Server{URL: replaytest.URL(t, url+"/sse")}, Transport: "sse"}},
		"modern stdio to http":   {modern, Options{Server: peer.Server{URL: replaytest.URL(t, url+"/modern")}}},
		"modern stdio to legacy": {modern, Options{Server: peer.Server{URL: replaytest.URL(t, url+"/mcp")}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, c.path)
			r := replayed(t, c.path, c.opt)
			if r.Differs() {
				allSame(t, r, len(s.Calls))
			}
		})
	}
}

func verdicts(r *replay.Report) map[string]replay.Verdict {
	all := map[string]replay.Verdict{}
	for _, o := range r.Outcomes {
		if o.Verdict.Differs() {
			all[o.Label()] = o.Verdict
		}
	}
	return all
}

// What is different about a server is reported, and nothing else.
func TestDifferencesAreExact(t *testing.T) {
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, true) })
	for odd, want := range map[string]map[string]replay.Verdict{
		"changed": {"tools/call count": replay.Changed},
		"removed": {"tools/call count": replay.Broken, "tools/list": replay.Changed},
		"slow":    {"tools/call wait": replay.Slower},
	} {
		t.Run(odd, func(t *testing.T) {
			r := replayed(t, path, Options{Server: peer.Server{Command: replaytest.Serve(odd)}, Slow: replay.Slow{Factor: 3, Least: replaytest.Slowness / 2}})
			if got := verdicts(r); !maps.Equal(got, want) || len(r.Problems) > 0 {
				t.Errorf("got %v, %v", got, r.Problems)
				allSame(t, r, -1)
			}
			for _, o := range r.Outcomes {
				if odd == "changed" && o.Verdict == replay.Changed && (o.Changes[0].Was != "3" || o.Changes[0].Now != "4") {
					t.Errorf("changes: %v", o.Changes)
				}
			}
		})
	}
}

// A target that dies, hangs or talks nonsense gets a verdict, and the replay ends.
func TestTroublesomeTargets(t *testing.T) {
	t.Parallel()
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, true) })
	for name, c := range map[string]struct {
		command []string
		timeout time.Duration
		note    string
	}{
		"dies":         {replaytest.Serve("dies"), 0, "exit code 7"},
		"hangs":        {replaytest.Serve("hangs"), 2 * time.Second, "no response within 2s"},
		"says no JSON": {[]string{"sh", "-c", "echo hello; exec sleep 60"}, 500 * time.Millisecond, "no response within 500ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := replayed(t, path, Options{Server: peer.Server{Command: c.command}, Timeout: c.timeout})
			if len(r.Outcomes) != len(load(t, path).Calls) || !r.Differs() {
				t.Errorf("%d outcomes", len(r.Outcomes))
			}
			found := false
			for _, o := range r.Outcomes {
				found = found || o.Verdict == replay.Broken && strings.Contains(o.Note, c.note)
			}
			if !found {
				t.Errorf("nothing says %q: %v %v", c.note, r.Outcomes, r.Problems)
			}
		})
	}
}

// A target that cannot be reached is no difference: there was no replay.
func TestUnreachableTargets(t *testing.T) {
	t.Parallel()
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, false) })
	for want, server := range map[string]peer.Server{
		"not found":    {Command: []string{"no-such-server-anywhere"}},
		"exit code 1":  {Command: []string{"false"}},
		"cannot reach": {URL: replaytest.URL(t, "http://127.0.0.1:1/mcp")},
	} {
		p, err := load(t, path).Plan(replay.PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		server.Record = replaytest.Library(t)
		r, err := Run(t.Context(), p, Options{Server: server, Yes: true})
		if err == nil || !strings.Contains(err.Error(), want) || r.Count(replay.Broken) != len(load(t, path).Calls) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
