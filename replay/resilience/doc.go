// Package resilience judges what a client makes of a fault. It is pure: what was
// recorded of a trial goes in, a check with its outcome and evidence comes out.
//
// Begin with Judge in judge.go, which compares a trial with a fault to one
// without. A Trial is what is known of a run: what its peer did in the end, and a
// Tape (tape.go) for each recording. What a fault asks of a peer beyond what is
// the same for all is in demands.go; package checks is the report.
package resilience
