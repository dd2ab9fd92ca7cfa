// Package minimize finds the smallest session that still fails in the same way: which of
// the recorded messages, and which members of the arguments, matter.
//
// Begin with Run. It sends the recorded messages again, fewer and fewer of them, to a new
// server each time (over HTTP in a new session), and keeps what the failure needs
// (minimize.go); then it makes the arguments smaller, and the header fields (leaveout.go).
// What it tried is not recorded; the smallest session, sent once more, is.
package minimize
