// Package semconv has the names of OpenTelemetry that midwire uses, and no other place
// has them: the conventions for MCP are in development, and names in them move.
package semconv

// Schema is the version of the names: that of open-telemetry/semantic-conventions-genai
// (model/mcp), which has no release yet. It builds on the core conventions 1.44.0.
const Schema = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"

// Attributes of the conventions.
const (
	ServiceName       = "service.name"
	ServiceVersion    = "service.version"
	ServiceInstanceID = "service.instance.id"

	Method          = "mcp.method.name"
	ProtocolVersion = "mcp.protocol.version"
	SessionID       = "mcp.session.id"
	ResourceURI     = "mcp.resource.uri"

	Operation  = "gen_ai.operation.name"
	ToolName   = "gen_ai.tool.name"
	PromptName = "gen_ai.prompt.name"

	RequestID  = "jsonrpc.request.id"
	StatusCode = "rpc.response.status_code"
	ErrorType  = "error.type"

	Transport     = "network.transport"
	Protocol      = "network.protocol.name"
	ServerAddress = "server.address"
	ServerPort    = "server.port"
)

// Values of attributes.
const (
	ExecuteTool   = "execute_tool" // of Operation
	TransportPipe = "pipe"
	TransportTCP  = "tcp"
	TransportUnix = "unix"
	ToolError     = "tool_error" // of ErrorType: a result with isError
)

// Histograms of the conventions, in seconds, and the buckets that they advise.
const (
	ClientOperation = "mcp.client.operation.duration"
	ServerOperation = "mcp.server.operation.duration"
	ClientSession   = "mcp.client.session.duration"
	ServerSession   = "mcp.server.session.duration"
)

// Buckets are the upper bounds of the histograms, in seconds.
func Buckets() []float64 { return []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300} }

// Names of midwire's own, where the conventions have none.
const (
	RecordingID     = "midwire.recording.id"
	RecordingLabel  = "midwire.recording.label"
	SessionState    = "midwire.session.state"
	SessionGrouping = "midwire.session.grouped_by"
	ClientName      = "midwire.client.name"
	ServerName      = "midwire.server.name"

	SessionSpan = "mcp.session"
	Finding     = "midwire.finding" // an event
	Rule        = "midwire.rule"
	Severity    = "midwire.severity"
	Message     = "midwire.message"
	Cause       = "midwire.cause"
	Fix         = "midwire.fix"

	Cancelled = "cancelled" // of ErrorType
	NoAnswer  = "no_answer" // of ErrorType: none came, and none can
)

// RefusedByReceiver reports whether a JSON-RPC error says that the sender asked for what
// cannot be served: the conventions count that as no error of the receiver.
func RefusedByReceiver(code int32) bool {
	switch code {
	case -32700, -32600, -32601, -32602, -32002:
		return true
	}
	return false
}
