// Package replay knows recordings as what their clients did: it says what of it
// can be sent to a server again, and compares the outcome. It is pure: it
// reads recordings and the rules beside them, and knows neither processes nor
// connections. Package run sends a plan to a server, package mock plays the
// server of a recording.
//
// Begin with script.go. Load turns a recording into a Script: steps of clients,
// calls, and the order in which everything happened. From there it goes three
// ways:
//
//   - Script.Plan (plan.go) says what will be sent, and what must be substituted
//     on the way: a session id, a cursor or a handle of the recording means
//     nothing to another run of the server (correlate.go, subst.go). Plan.Only
//     narrows it to one call, guard.go says which tools need the user's consent,
//     masked.go which credentials are missing.
//   - Masks.Compare (compare.go) compares two responses to one call. volatile.go
//     knows what differs between any two runs, rules.go what the user said does
//     not count; Learn finds such rules. Masks.Lines lays both side by side.
//   - Diff (diff.go) pairs the sessions and calls of two scripts and compares
//     them.
//
// All of them end in a Report (report.go), which print.go writes for people and
// machines; the screen shows its Comparison.
package replay
