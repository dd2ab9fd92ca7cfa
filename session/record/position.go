package record

import "strings"

// PositionFile is the name of the file beside a recording that says how much of it was
// sent to a collector, and PositionOpening how such a file begins.
func PositionFile(recording string) string {
	return strings.TrimSuffix(recording, extension) + PositionSuffix
}

// PositionSuffix and PositionOpening tell files of positions from others.
const (
	PositionSuffix  = ".sent.json"
	PositionOpening = `{"midwire_sent":`
)
