// Package filter is the line in which a filter is written: completion with the
// facets of the messages, saved filters, and those used before. A Line belongs to
// the goroutine of the tea.Program.
package filter
