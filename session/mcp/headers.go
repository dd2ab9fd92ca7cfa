package mcp

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// Header fields of Streamable HTTP, spelled as midwire sends them. Their names
// are to be compared without regard to case (RFC 9110 5.1).
const (
	HeaderSessionID   = "Mcp-Session-Id"       // 2025-03-26 to 2025-11-25 basic/transports: Session Management
	HeaderVersion     = "MCP-Protocol-Version" // 2025-06-18 basic/transports: Protocol Version Header
	HeaderLastEventID = "Last-Event-ID"        // 2025-03-26 to 2025-11-25 basic/transports: Resumability and Redelivery

	// 2026-07-28 basic/transports/streamable-http: Standard Request Headers, and
	// Custom Headers from Tool Parameters.
	HeaderMethod      = "Mcp-Method"
	HeaderName        = "Mcp-Name"
	HeaderParamPrefix = "Mcp-Param-"
)

// How a header repeats a value that it cannot hold as it is
// (2026-07-28 basic/transports/streamable-http: Value Encoding).
const (
	EncodedPrefix = "=?base64?"
	EncodedSuffix = "?="
)

// NeedsEncoding reports whether a value cannot stand in Mcp-Name or Mcp-Param-… as
// it is.
func NeedsEncoding(value string) bool {
	return strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 || r > 0x7e }) ||
		value != strings.Trim(value, " ") ||
		strings.HasPrefix(value, EncodedPrefix) && strings.HasSuffix(value, EncodedSuffix)
}

// EncodeHeader writes a value as it stands in Mcp-Name or Mcp-Param-….
func EncodeHeader(value string) string {
	if !NeedsEncoding(value) {
		return value
	}
	return EncodedPrefix + base64.StdEncoding.EncodeToString([]byte(value)) + EncodedSuffix
}

// DecodeHeader undoes EncodeHeader. When the text begins like an encoded value
// and is none, or not one of UTF-8, it returns it as it is, and false.
func DecodeHeader(text string) (value string, ok bool) {
	in, marked := strings.CutPrefix(text, EncodedPrefix)
	if !marked {
		return text, true
	}
	if in, marked = strings.CutSuffix(in, EncodedSuffix); !marked {
		return text, false
	}
	out, err := base64.StdEncoding.DecodeString(in)
	if err != nil || !utf8.Valid(out) {
		return text, false
	}
	return string(out), true
}
