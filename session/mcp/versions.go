package mcp

import "slices"

// Version is a protocol version as it stands on the wire. Versions are dates,
// so that <, <= and cmp.Compare order them; the empty Version, which is not
// known, comes before all. What a peer sends may be any text.
type Version string

// The protocol versions (specification, Versioning). The first was a draft
// that early SDKs accept.
const (
	V20241007 Version = "2024-10-07"
	V20241105 Version = "2024-11-05"
	V20250326 Version = "2025-03-26" // Streamable HTTP, batches
	V20250618 Version = "2025-06-18" // MCP-Protocol-Version, no batches
	V20251125 Version = "2025-11-25" // tasks
	V20260728 Version = "2026-07-28" // no handshake, no sessions

	LastHandshake = V20251125 // the last version that starts with initialize
	FirstModern   = V20260728 // the first without sessions
	Latest        = V20260728
)

// Versions returns the published versions, the oldest first.
func Versions() []Version {
	return []Version{V20241105, V20250326, V20250618, V20251125, V20260728}
}

// IsPublished reports whether v is one of Versions.
func (v Version) IsPublished() bool { return slices.Contains(Versions(), v) }

// IsModern reports whether v has neither handshake nor sessions: 2026-07-28 and
// later (2026-07-28 basic/versioning).
func (v Version) IsModern() bool { return v >= FirstModern }

// IsDate reports whether v has the form of a version, YYYY-MM-DD. It may still be
// one that was never published.
func (v Version) IsDate() bool {
	if len(v) != len(Latest) {
		return false
	}
	for i, c := range []byte(v) {
		if (c == '-') != (i == 4 || i == 7) || c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
