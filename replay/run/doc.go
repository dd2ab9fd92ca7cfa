// Package run sends a plan of package replay to a server, and compares what
// comes back with what was recorded. The server is a command on stdio or an
// HTTP server, Streamable HTTP or HTTP+SSE; a proxy stands in front of it, so
// that a replay is a recording like any other.
//
// Begin with Run in run.go and drive in drive.go, which goes through what
// happened in the recording; sendStep in step.go takes one step of a client, and
// asks the server for its tools before one is called. A connection
// (connection.go) is what carries a session: a carrier, of which stdio.go and
// http.go are the two kinds. What comes from the server arrives in received.go:
// it ends calls, and requests of the server get their responses. era.go
// translates between protocol versions with a handshake and those without,
// fields.go makes HTTP headers, intake.go bounds what is taken of the server.
//
// The goroutines of a Run: the one that called it drives, and alone touches the
// state of the run; for a stdio target one runs the proxy, one writes, one reads
// its output and one its stderr, for an HTTP target one runs the proxy and each
// exchange has one. All of them emit arrivals to the driver on one channel and
// end with the run.
package run
