package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var versionNotHonoured = &diagnose.Rule{
	ID: "version-not-honoured", On: diagnose.Results, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Dir != wire.ToClient {
			return
		}
		asked, chosen := text(wire.Get(c.Call.Params, "protocolVersion")), text(c.Result("protocolVersion"))
		seen := diagnose.Memory[choices](c)
		info := c.Result("serverInfo")
		server := c.Session.Endpoint + "\x00" + text(wire.Get(info, "name")) + "\x00" + text(wire.Get(info, "version"))
		if other := seen.chosen(server, asked); other != 0 && chosen != asked && chosen != "" {
			c.Say("", c.Client()+" requested protocol version "+quote(asked)+" ("+frame(c.Call.N)+") and the server chose "+quote(chosen)+". It does support "+asked+": it chose it before ("+frame(other)+").",
				c.N, c.Call.N, other)
		}
		seen.add(server, chosen, c.N)
	},
}

// choices are the protocol versions that servers have chosen.
type choices struct{ list []choice }

type choice struct {
	server, version string
	n               uint64
}

const maxChoices = 64

func (s *choices) chosen(server, version string) uint64 {
	for _, one := range s.list {
		if one.server == server && one.version == version {
			return one.n
		}
	}
	return 0
}

func (s *choices) add(server, version string, n uint64) {
	if len(s.list) < maxChoices && s.chosen(server, version) == 0 {
		s.list = append(s.list, choice{server, version, n})
	}
}
