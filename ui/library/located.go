package library

import (
	"midwire/session/diagnose"
)

// Located is a finding and the recording it was made in.
type Located struct {
	Rec *Recording
	*diagnose.Finding
}
