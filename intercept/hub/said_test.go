package hub_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"midwire/intercept/hub"
)

// TestInitSaysWhy: a server that ended says why in the response of POST /session/init, by its
// last line of trouble, without the keys in it.
func TestInitSaysWhy(t *testing.T) {
	self, _ := os.Executable()
	r := start(t, []string{
		raw("one", ""), fmt.Sprintf(`"bad":{"command":%q,"env":{%q:"failing","KEY":"${KEY}"}}`, self, peerVariable),
	}, nil)
	all, _ := json.Marshal(r.client("/mcp").init(`{"credentials":{"KEY":"very-secret"}}`))
	bad := get(string(all), "servers", "bad")
	want(t, bad, `"enabled":false`, "exit code 3: Error: Cannot find module 'left-pad' for key ${KEY}")
	want(t, get(string(all), "servers", "one"), `"enabled":true`)
}

// TestLocalEnvironment: a local server gets what the configuration names, and of the hub's
// environment what every program needs.
func TestLocalEnvironment(t *testing.T) {
	r := start(t, []string{raw("one", "")}, func(h *hub.Hub) {
		h.Environ = []string{"PATH=/hub/bin", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=hidden", "KEY=hidden", "MIDWIRE_HOME=/hidden"}
	})
	c := r.client("/mcp")
	c.init(`{}`)
	env := c.call("one_env", "{}")
	want(t, env, "PATH=/hub/bin", "LC_ALL=C", "NAME=one", "KEY=none")
	if strings.Contains(env, "hidden") {
		t.Error(env)
	}
}
