package record

import (
	"time"

	"midwire/session/record/redact"
)

// Options say how a Writer works. The zero value masks the well-known
// credentials and uses the system's clock.
type Options struct {
	Redact redact.Options // what is masked

	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// OnShared is called by Create when another user may put files into the
	// folder, and says who.
	OnShared func(error)
	// OnTrouble is called when the recording cannot be written any longer, and
	// OnRecovered when it can again. Both are called from within the Writer's
	// methods and must not call them.
	OnTrouble   func(error)
	OnRecovered func()
}
