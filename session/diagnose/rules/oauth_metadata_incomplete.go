package rules

import (
	"bytes"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/oauth"
	"midwire/session/wire"
)

var oauthMetadataIncomplete = rule("oauth-metadata-incomplete", diagnose.Refusals|diagnose.OtherBodies,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil {
			return
		}
		m := diagnose.Memory[wasChallenged](c)
		if c.Refusal != nil {
			m.challenged(c)
			return
		}
		named := m.named != "" && x.Path == m.named
		if x.Verb != "GET" || x.Status != 200 || !strings.Contains(x.Path, "/.well-known/") && !named {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, uint64(x.RequestN)}}
		lacks := metadataLacks(x.Path, c.Data)
		if named && lacks == "" {
			lacks = metadataLacks(resourceWellKnown, c.Data)
		}
		if lacks == notJSON && !m.yes || lacks == "" {
			return
		}
		if strings.Contains(lacks, "code_challenge") && c.ProtocolVersion() != "" && c.ProtocolVersion() < mcp.V20251125 {
			f.Severity = diagnose.Warning
		}
		f.Message = "The response to " + target(x) + " (" + frame(x.RequestN) + ") " + lacks + "."
		if named {
			f.Message += " That is the URL that WWW-Authenticate names as resource_metadata."
		}
		c.ReportAs(x.Path, f)
	})

type wasChallenged struct {
	yes   bool
	named string // path of the metadata that the server named
}

func (m *wasChallenged) challenged(c *diagnose.Case) {
	if x := c.Exchange; x.Status == 401 {
		m.yes = true
		if u := parseURL(oauth.ChallengeParam(headerValues(x.ResponseHead, "WWW-Authenticate"), "resource_metadata")); u != nil {
			m.named = u.Path
		}
	}
}

const notJSON = "is not JSON"

// metadataLacks says what is missing in a document, "" for nothing.
func metadataLacks(path string, body []byte) string {
	resource := strings.HasPrefix(path, resourceWellKnown)
	if !resource && !strings.HasPrefix(path, serverWellKnown) && !strings.Contains(path, openIDWellKnown) {
		return ""
	}
	if !isJSONObject(body) {
		return notJSON
	}
	if resource {
		servers := bytes.TrimSpace(wire.Get(body, "authorization_servers"))
		if !bytes.HasPrefix(servers, []byte("[")) || len(bytes.TrimSpace(servers[1:len(servers)-1])) == 0 {
			return "names no authorization_servers"
		}
		return ""
	}
	for _, name := range []string{"issuer", "authorization_endpoint", "token_endpoint"} {
		if name == "authorization_endpoint" && onlyMachines(body) {
			continue
		}
		if wire.Text(wire.Get(body, name)) == "" {
			return "has no " + name
		}
	}
	methods := wire.Get(body, "code_challenge_methods_supported")
	if !bytes.Contains(methods, []byte(`"S256"`)) && !onlyMachines(body) {
		return "does not announce PKCE with S256 in code_challenge_methods_supported, which MCP clients require"
	}
	return ""
}

// onlyMachines says whether an authorization server has no login for people.
func onlyMachines(body []byte) bool {
	grants := wire.Get(body, "grant_types_supported")
	return len(grants) > 0 && !bytes.Contains(grants, []byte(`"authorization_code"`)) && !bytes.Contains(grants, []byte(`"implicit"`))
}
