package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// serverSaysWhy is about a refusal that names what the configuration of the server lacks.
var serverSaysWhy = rule("server-says-why", diagnose.Finish, func(c *diagnose.Case) {
	for _, o := range badOf(c) {
		if o.Came != operation.Refused || o.Dir != wire.ToServer || o.Kind > operation.Handshake {
			continue
		}
		said := strings.TrimSpace(o.Words + " " + o.Data)
		f := diagnose.Finding{With: diagnose.Values{"call": o.Method, "target": o.Target, "said": said}}
		switch header := demanded(o); {
		case header != "":
			f.Side, f.Cause = diagnose.Client, "The server, or what stands before it, wants a header that MCP does not know: a key, a tenant or a version of its own."
			f.Remedies = fixes(inClient("in its configuration, add the header " + header + " for this server, with the value that the server's documentation names."))
		case o.Event && variableName().MatchString(said) && lacksWords().MatchString(said):
			a, known := adviceOn(said)
			if !known {
				continue
			}
			f.Cause, f.Remedies, f.Side = a.cause, a.fix, a.side
		default:
			continue
		}
		if (o.Before == nil || o.Before.Method != o.Method) && !c.ServedSince(o.Last().N) {
			f.Severity = diagnose.Error
		}
		eachMember(c, o, func(one diagnose.Finding) {
			f.Frames, f.About, f.Count = one.Frames, one.About, one.Count
			f.With["request"], f.With["response"] = one.Frames[len(one.Frames)-1], one.Frames[0]
			c.ReportAs(number(o.N), f)
		})
	}
})

// demanded is a header that a refusal asks for and that was not sent, "" for none: one that is no
// header of HTTP or MCP, for which there are other rules.
func demanded(o *operation.Operation) string {
	if o.Event || !words.Holds(words.Fold(o.Words), "missing", "required", "must ", "expected", "no ") {
		return ""
	}
	for word := range strings.FieldsFuncSeq(o.Words, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) {
		fold := words.Fold(word)
		if !strings.HasPrefix(fold, "x-") && !strings.HasSuffix(fold, "-key") && !strings.HasSuffix(fold, "-token") || len(word) < 4 {
			continue
		}
		if wire.HeadValue(o.Head, word) == "" && !strings.HasPrefix(fold, "mcp-") {
			return word
		}
	}
	return ""
}
