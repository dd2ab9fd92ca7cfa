// Package mock plays the server of a recording for clients, on stdio and over
// HTTP. A request gets the response that the same request got; each client
// begins at the beginning of the recording.
//
// Begin with Server in mock.go, which indexes the calls of a script and what the
// server sent beside their responses. match.go finds the recorded call of a
// request, client.go plays the outcome, stdio.go and http.go are the two
// transports.
//
// The goroutines of a Server: those of net/http, and one for each message of a
// client. All of them end with the context, or the input, that they were given.
// A client's state is touched under its lock only.
package mock
