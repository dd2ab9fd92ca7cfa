// Package sessions is the start screen: a row for each session, live and recorded,
// of all recordings, grouped, ordered and filtered, with a preview of the selected
// one. What it shows comes from the summaries of recordings and the trackers of
// those that were read; it reads nothing. A View belongs to the goroutine of the
// tea.Program.
package sessions
