package export

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"midwire/session/wire"
)

// hostileTargets are request targets that name another host when they are put
// behind an origin as they are, or end the URL.
var hostileTargets = []string{
	"@evil:80/", "//evil/", "http://evil/", "https://evil:1/a?b", "http:@evil/", "HTTP://evil/", `\\evil`, `/\evil`, ":80@evil/", ".evil/", "evil:443", "?x@evil", "#@evil", "*",
	"/a b", "/'\"`$(id)", "/a\nb", "/a\r\nHost: evil", "/a#b", "/a?b=c#d", "/%40evil", "/\x1b]8;;http://evil\x07", "-o/tmp/x", "file:///etc/passwd", "javascript:alert(1)", "",
}

// What is made of a request goes to the server that was recorded, whatever the
// target says.
func TestTargetsStayOnTheirHost(t *testing.T) {
	const server = "http://server.example:3000"
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, target := range hostileTargets {
		var frames []*wire.Frame
		for _, f := range []wire.Frame{{Kind: wire.KindRequest, Data: []byte("GET " + target + " HTTP/1.1\r\n\r\n")}, {Kind: wire.KindResponse, Data: []byte("HTTP/1.1 200 OK\r\n\r\n")}} {
			f.N, f.X, f.Conn, f.Dir = uint64(len(frames)+1), 1, 1, wire.ToServer
			frames = append(frames, &f)
		}
		script, ok := Curl(server+"/mcp", frames)
		if !ok {
			if h, ok := wire.ParseHead(frames[0].Data); ok && h.Method != "" {
				t.Errorf("%q: no command", target)
			}
			continue
		}
		out, err := exec.Command(sh, "-c", `curl() { for a; do printf '%s\n' "<$a>"; done; }; `+script).CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v: %s\n%s", target, err, out, script)
			continue
		}
		found := 0
		for arg := range strings.SplitSeq(string(out), "\n") {
			arg = strings.TrimSuffix(strings.TrimPrefix(arg, "<"), ">")
			if !strings.HasPrefix(arg, "http") {
				continue
			}
			found++
			if u, err := url.Parse(arg); err != nil && !strings.Contains(arg, "%40evil") || err == nil && (u.Host != "server.example:3000" || u.User != nil || u.Scheme != "http") {
				t.Errorf("%q becomes %s: %v", target, arg, err)
			}
		}
		if found != 1 {
			t.Errorf("%q: %d URLs in %s", target, found, out)
		}
	}
}

func TestTargetsInExports(t *testing.T) {
	for _, target := range hostileTargets {
		var tape tape
		tape.post(1, target, "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{}}`)
		if h, ok := wire.ParseHead(tape.frames[0].Data); !ok || h.Method == "" || h.Target != target {
			continue // it cannot be recorded as a request
		}
		var har struct {
			Log struct {
				Entries []struct{ Request struct{ URL string } }
			}
		}
		if err := json.Unmarshal([]byte(written(t, source("http", tape.frames), "har")), &har); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(har.Log.Entries[0].Request.URL)
		if err != nil || u.Host != "127.0.0.1:3000" || u.User != nil {
			t.Errorf("%q becomes %s in a HAR: %v", target, har.Log.Entries[0].Request.URL, err)
		}
		if script := written(t, source("http", tape.frames), "curl"); !strings.Contains(script, " 'http://127.0.0.1:3000/") && !strings.Contains(script, `"$(printf 'http://127.0.0.1:3000/`) {
			t.Errorf("%q is not kept behind the origin:\n%s", target, script)
		}
	}
	for target, want := range map[string]string{
		"http://a:1/x?y": "http://a:1", "https://a": "https://a", "file:///etc/passwd": "http://127.0.0.1:3000", "file://host/x": "http://127.0.0.1:3000",
		"javascript:x": "http://127.0.0.1:3000", "": "http://127.0.0.1:3000", "http://u:p@a/": "http://a",
	} {
		if got := origin(target); got != want {
			t.Errorf("origin(%s) = %s", fmt.Sprint(target), got)
		}
	}
}
