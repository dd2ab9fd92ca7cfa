package mcp

// Error codes of JSON-RPC (JSON-RPC 2.0, 5.1; 2025-11-25 schema).
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// Error codes of 2026-07-28, which go with HTTP status 400
// (2026-07-28 basic/index: Error Codes).
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022 // basic/versioning; data names what is supported
)

// Codes that 2026-07-28 took out of use.
const (
	CodeResourceNotFound = -32002 // 2025-11-25 server/resources: Error Handling
	CodeURLElicitation   = -32042 // 2025-11-25 client/elicitation: URL Mode
)

// The ranges of 2026-07-28 basic/index: Error Codes, each from its smaller
// number to its greater: what implementations used for anything before, and
// what belongs to the protocol.
const (
	CodesLegacyFrom   = -32019
	CodesLegacyTo     = -32000
	CodesProtocolFrom = -32099
	CodesProtocolTo   = -32020
)

// Codes of the legacy range that SDKs send although the specification does not
// define them. The same number means other things elsewhere: read the text and
// the status as well.
const (
	CodeBadSession      = -32000 // TypeScript: whatever is wrong with a session or a request, status 400
	CodeSessionNotFound = -32001 // TypeScript: an unknown session, status 404
)

// CodeName is what JSON-RPC calls an error code, "" for any other. MCP's own
// codes are left out: servers use them for more than one thing.
func CodeName(code int) string { return codeNames[code] }

var codeNames = map[int]string{
	CodeParseError: "parse error", CodeInvalidRequest: "invalid request", CodeMethodNotFound: "method not found",
	CodeInvalidParams: "invalid params", CodeInternalError: "internal error",
}
