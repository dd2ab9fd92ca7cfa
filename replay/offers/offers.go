package offers

import "time"

// Server plays one offer, or an ordinary server.
type Server struct {
	Offer string        // its name, "" for an ordinary server
	Tools []string      // names of tools that are listed besides
	Slow  time.Duration // how long slow-call takes
}
