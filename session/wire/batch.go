package wire

import "time"

// Recording is one recording as its followers know it.
type Recording struct {
	ID    string // unique and stable
	Label string // what to call it: the name of the command or of the endpoint
	Tap   string // "stdio" or "http"
	Where string // the command line, or "127.0.0.1:7000 → http://localhost:3000"
	Host  string // that it was copied from, "" for one made here
	Flow  string // the same in recordings of one traffic at several places, "" for none
	Side  string // of a gateway that recorded all of its legs: "client" or "server"
	// ClientSession is the id of the client's session that a leg to a server belongs to, "" for none or several.
	ClientSession string
	Control       string // address of the control socket of its tap, "" for none, and if it was not made here
	Started       time.Time
	Changed       time.Time // when it was last written to; to be trusted when it is not live
	Live          bool      // a tap is writing it
	Size          int64     // bytes on disk
	Trouble       string    // "" or what is wrong with it: torn, newer format
}

// Tagged is a frame and the recording it belongs to.
type Tagged struct {
	Rec   string
	Frame Frame
}

// Batch is what was written to recordings since the last one. The
// bytes of its frames belong to the receiver.
type Batch struct {
	Recordings []Recording        // new or changed
	Frames     []Tagged           // in order within each recording
	Loading    map[string]float64 // how much of a recording has been delivered, 0 to 1; 1 ends it
	Err        error              // trouble worth reporting; delivery continues
}
