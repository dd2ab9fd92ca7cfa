package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var metaKey = rule("meta-key", diagnose.Requests|diagnose.Notifications|diagnose.Results, func(c *diagnose.Case) {
	meta := c.Param("_meta")
	if c.Message.Kind == wire.MsgResult {
		meta = c.Result("_meta")
	}
	if len(meta) < 3 || !published(c.ProtocolVersion()) {
		return
	}
	wire.Members(meta, func(key, _ []byte) bool {
		if mcp.IsMetaDefined(key) {
			return true
		}
		name := string(key)
		switch {
		case !properKey(name):
			blameSender(c, name, "uses the key "+quote(name)+" in _meta ("+frame(c.N)+"), which is not a well-formed key.")
		case reserved(name, c.ProtocolVersion()):
			c.ReportAs(name, diagnose.Finding{
				Severity: diagnose.Note,
				Message:  c.Named(sender(c)) + " uses the key " + quote(name) + " in _meta (" + frame(c.N) + "). The prefix belongs to the protocol, which defines no such key.",
				Side:     sender(c),
			})
		}
		return true
	})
})

// properKey says whether a key has the form of 2025-06-18 basic/index: an
// optional prefix of labels with dots between and a slash behind, and a name.
func properKey(key string) bool {
	if strings.ContainsRune(key, '\\') {
		return true // escaped, and not worth the work
	}
	prefix, name, ok := strings.Cut(key, "/")
	if !ok {
		prefix, name = "", key
	}
	if ok {
		for label := range strings.SplitSeq(prefix, ".") {
			if label == "" || !letter(label[0]) || !alphanumeric(label[len(label)-1]) || !only(label, "-") {
				return false
			}
		}
	}
	return name == "" || alphanumeric(name[0]) && alphanumeric(name[len(name)-1]) && only(name, "-_.")
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func alphanumeric(b byte) bool { return letter(b) || b >= '0' && b <= '9' }

func only(s, others string) bool {
	for i := range len(s) {
		if !alphanumeric(s[i]) && strings.IndexByte(others, s[i]) < 0 {
			return false
		}
	}
	return true
}

// reserved says whether the prefix of a key belongs to the protocol. In
// 2025-06-18 it is the last label but one that counts, later on the second.
func reserved(key string, version mcp.Version) bool {
	prefix, _, ok := strings.Cut(key, "/")
	if !ok {
		return false
	}
	labels := strings.Split(prefix, ".")
	at := 1
	if version < mcp.V20251125 {
		at = len(labels) - 2
	}
	return at >= 0 && at < len(labels) && (labels[at] == "modelcontextprotocol" || labels[at] == "mcp")
}
