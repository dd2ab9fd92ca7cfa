package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var malformedResponse = rule("malformed-response", diagnose.Errors|diagnose.Results, func(c *diagnose.Case) {
	if c.Message.Kind == wire.MsgResult {
		errorInResult(c)
		return
	}
	code, message := wire.Get(c.Message.Error, "code"), wire.Get(c.Message.Error, "message")
	_, number := wire.Int(code)
	key := ""
	switch {
	case c.Message.Result != nil:
		key = "both a result and an error"
	case code == nil:
		key = "an error without a code"
	case !number:
		key = "an error whose code " + raw(code) + " is no integer"
	case len(message) == 0 || message[0] != '"':
		key = "an error without a message"
	default:
		return
	}
	blameSender(c, key, "sent a response ("+frame(c.N)+") with "+key+".")
})

// needed is the member that a result of a method cannot be without.
var needed = map[string]string{
	mcp.Initialize: "protocolVersion", mcp.ToolsList: "tools", mcp.ToolsCall: "content", mcp.ResourcesList: "resources",
	mcp.ResourcesRead: "contents", mcp.ResourceTemplatesList: "resourceTemplates", mcp.PromptsList: "prompts",
	mcp.PromptsGet: "messages", mcp.Complete: "completion",
}

// errorInResult reports an error that stands where the result of a method should.
func errorInResult(c *diagnose.Case) {
	failure := c.Result("error")
	if c.Call == nil || len(failure) == 0 || failure[0] != '{' && failure[0] != '"' || needed[c.Call.Method] == "" ||
		c.Result(needed[c.Call.Method]) != nil || c.Result("resultType") != nil || c.Result("task") != nil {
		return
	}
	said := text(wire.Get(failure, "message"))
	if said == "" {
		said = string(failure)
	}
	c.ReportAs("in result", diagnose.Finding{
		Message:  c.Named(sender(c)) + " responded to " + about(c.Call) + " with an error inside of result (" + frame(c.N) + "): " + quote(said) + ".",
		Cause:    "The code that fails returns an object with an error, and the layer above takes every object for a result. The client takes the response for a success that lacks " + needed[c.Call.Method] + ".",
		Remedies: fixes(inServer(`respond with "error" (code and message) beside "id", in the place of "result"; for a tool that failed, with "content" and "isError": true. The text of the error says what failed.`)),
		Side:     sender(c), Frames: []uint64{c.N, c.Call.N}, Place: "/result/error",
	})
}
