package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var versionRefusalBare = rule("version-refusal-bare", diagnose.Errors, func(c *diagnose.Case) {
	if c.Dir != wire.ToClient || string(wire.Get(c.Message.Error, "code")) != "-32022" {
		return
	}
	missing, some := "", false
	wire.Items(wire.Get(c.Message.Error, "data", "supported"), func(_ int, v []byte) bool {
		some = text(v) != ""
		return !some
	})
	switch requested := wire.Get(c.Message.Error, "data", "requested"); {
	case !some:
		missing = "which protocol versions it supports"
	case text(requested) == "":
		missing = "which protocol version it refuses"
	default:
		return
	}
	c.Say(missing, c.Server()+" refused a protocol version ("+frame(c.N)+") and does not say "+missing+".")
})
