package redact

import "regexp"

// Options say what is masked. The zero value masks the well-known credentials.
type Options struct {
	// Keep masks nothing. The other patterns below are then ignored as well.
	Keep bool
	// Keys names JSON members, header fields and query parameters whose values
	// are masked wherever they occur, without regard to case.
	Keys []string
	// Paths names values by their place in a JSON payload, like
	// params.arguments.password. Elements of arrays take the path of the array.
	Paths []string
	// Values masks what matches, in the strings of JSON payloads and in the lines
	// of everything else.
	Values []*regexp.Regexp
	// Shapes masks what looks like a token, whatever its name is. It is for what
	// leaves the machine: in a recording it is data.
	Shapes bool
}
