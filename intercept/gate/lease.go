package gate

import "time"

// lease is what the rules of a controller live by.
type lease struct {
	name  string
	last  time.Time
	every time.Duration
}
