package replay

import (
	"net/http"
	"net/url"
	"testing"
)

// A recorded target never leads a replay to another host, and its path is sent
// as it was.
func TestTargetsStayOnTheirHost(t *testing.T) {
	for target, want := range map[string]string{
		"/a?b=c": "/a?b=c", "@evil:80/": "/@evil:80/", "//evil/x": "//evil/x", "http://evil/x?y": "/x?y", `\\evil`: `/%5C%5Cevil`, "/a#b": "/a#b", "?x": "/?x", "*": "/*",
	} {
		u := &url.URL{Scheme: "http", Host: "server.example:3000", Path: "/"}
		Aim(u, true, target)
		if again, err := http.NewRequest(http.MethodPost, u.String(), nil); err != nil || again.URL.Host != "server.example:3000" || again.URL.User != nil {
			t.Errorf("%q leads to %s: %v", target, u, err)
		} else if got := again.URL.RequestURI(); got != want && target != "/a#b" {
			t.Errorf("%q is sent as %s, want %s", target, got, want)
		}
	}
}
