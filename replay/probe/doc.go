// Package probe asks a server again what it refused in a recording: first as a
// conforming client would, then with what the recorded client did otherwise put back,
// one thing at a time. What makes the difference is the cause; where a conforming
// client is refused too, it is not the recorded client.
//
// Begin with Run in probe.go. deviations.go lists what the recorded client did
// otherwise, in the order of how often that is the reason; params.go finds it in the
// parameters of a request. attempt.go makes one attempt, in its own session.
package probe
