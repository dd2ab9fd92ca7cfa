package replay

import "midwire/session/handle"

// Path is a place in a JSON value, or a pattern of places; see handle.Path.
type (
	Path    = handle.Path
	Seg     = handle.Seg
	SegKind = handle.SegKind
)

// The kinds of Seg.
const (
	SegMember     = handle.SegMember
	SegElement    = handle.SegElement
	SegAnyMember  = handle.SegAnyMember
	SegAnyElement = handle.SegAnyElement
	SegDeep       = handle.SegDeep
)

// ParsePath reads a path or a pattern.
func ParsePath(text string) (Path, error) { return handle.ParsePath(text) }
