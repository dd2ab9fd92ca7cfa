// Package replay sends a recorded client's side to a server, plays a recorded
// server for a client, and compares two recorded sessions.
//
// Load turns a recording into a Script. A Plan says what of it will be sent and
// what must be substituted on the way: a session id, a cursor or a handle of
// the recording means nothing to another run of the server. Run carries a plan
// out through a tap, so that a replay is a recording like any other. Diff
// compares two scripts, Mock serves one.
//
// The goroutines of a Run: the one that called it drives, and alone touches the
// state of the run; for a stdio target one runs the tap, one writes and one
// reads, for an HTTP target one runs the tap and each exchange has one. All of
// them report to the driver by one channel and end with the run. A Mock has
// those of net/http and one for each message of a client; a client's state is
// touched under its lock only.
package replay
