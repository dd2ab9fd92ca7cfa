package record

import (
	"regexp"
	"time"
)

// Options say how a Writer works. The zero value masks the well-known
// credentials and uses the system's clock.
type Options struct {
	// KeepSecrets records everything as it is. The other patterns below are
	// then ignored as well.
	KeepSecrets bool
	// RedactKeys names JSON members, header fields and query parameters whose
	// values are masked wherever they occur, without regard to case.
	RedactKeys []string
	// RedactPaths names values by their place in a JSON payload, like
	// params.arguments.password. Elements of arrays take the path of the array.
	RedactPaths []string
	// RedactValues masks what matches, in the strings of JSON payloads and in
	// the lines of everything else.
	RedactValues []*regexp.Regexp

	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// OnTrouble is called when the recording cannot be written any longer, and
	// OnRecovered when it can again. Both are called from within the Writer's
	// methods and must not call them.
	OnTrouble   func(error)
	OnRecovered func()
}
