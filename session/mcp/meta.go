package mcp

import (
	"bytes"
	"strings"
)

// MetaPrefix is what the keys of _meta begin with that the protocol defines,
// and the ids of its extensions (2025-11-25 basic/index: _meta).
const MetaPrefix = "io.modelcontextprotocol/"

// Keys of _meta that make a request or a result of 2026-07-28 complete
// (2026-07-28 basic/index: _meta).
const (
	MetaProtocolVersion    = MetaPrefix + "protocolVersion"    // every request
	MetaClientCapabilities = MetaPrefix + "clientCapabilities" // every request
	MetaClientInfo         = MetaPrefix + "clientInfo"         // every request, recommended
	MetaLogLevel           = MetaPrefix + "logLevel"           // a request that wants log messages
	MetaServerInfo         = MetaPrefix + "serverInfo"         // every result, recommended
	MetaSubscriptionID     = MetaPrefix + "subscriptionId"     // what comes by way of subscriptions/listen
)

// Keys of _meta of tasks (2025-11-25 basic/utilities/tasks), and those that
// extensions put there under their own ids.
const (
	MetaRelatedTask       = MetaPrefix + "related-task"
	MetaImmediateResponse = MetaPrefix + "model-immediate-response"
	MetaTask              = MetaPrefix + "task"
	MetaUI                = MetaPrefix + "ui"
)

// Keys of _meta without a prefix: the token of progress (2025-11-25
// basic/utilities/progress), and the trace context of W3C (2026-07-28
// basic/index: _meta).
const (
	MetaProgressToken = "progressToken"
	MetaTraceParent   = "traceparent"
	MetaTraceState    = "tracestate"
	MetaBaggage       = "baggage"
)

// IsMetaDefined says whether the protocol or one of its extensions defines a
// key of _meta. It takes bytes, as it is asked for every key of every message.
func IsMetaDefined(key []byte) bool {
	switch string(key) {
	case MetaProgressToken, MetaTraceParent, MetaTraceState, MetaBaggage,
		MetaProtocolVersion, MetaClientCapabilities, MetaClientInfo, MetaLogLevel, MetaServerInfo, MetaSubscriptionID,
		MetaRelatedTask, MetaImmediateResponse, MetaTask, MetaUI:
		return true
	}
	return bytes.IndexByte(key, '/') > 0 && isExtensionMeta(string(key))
}

// isExtensionMeta says whether an extension of the table defines a key of _meta.
func isExtensionMeta(key string) bool {
	for _, x := range extensions {
		for _, known := range x.Meta {
			if key == known || strings.HasSuffix(known, "/") && strings.HasPrefix(key, known) {
				return true
			}
		}
	}
	return false
}
