package rules

import (
	"slices"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var versionPromised = rule("version-promised", diagnose.Results|diagnose.Refusals, func(c *diagnose.Case) {
	if c.Session == nil || c.Call == nil {
		return
	}
	lists := made(diagnose.Memory[map[string]listedVersions](c))
	switch {
	case c.Refusal == nil:
		if c.Call.Method == mcp.Discover && len(lists) < maxPaths {
			lists[c.Session.Endpoint] = listedVersions{c.N, discovered(c)}
		}
	case c.Call.Method != mcp.Discover && c.Refusal.Means(sdkwords.VersionUnsupported):
		version := string(c.Call.Version)
		if x := c.Exchange; x != nil && x.Header(mcp.HeaderVersion) != version {
			return // that is what is wrong
		}
		if p := lists[c.Session.Endpoint]; slices.Contains(p.versions, version) {
			what := c.Call.Method + " (" + frame(c.Call.N) + ") of that version: " + said(c.Refusal) + "."
			c.Say(version, c.Server()+" lists "+version+" in the result of server/discover ("+frame(p.n)+"), and refused "+what,
				c.N, c.Call.N, p.n)
		}
	}
})

// listedVersions is what a server said last that it supports.
type listedVersions struct {
	n        uint64
	versions []string
}

// discovered are the protocol versions in the result in hand.
func discovered(c *diagnose.Case) (list []string) {
	wire.Items(c.Result("supportedVersions"), func(_ int, v []byte) bool {
		list = append(list, text(v))
		return len(list) < 16
	})
	return list
}
