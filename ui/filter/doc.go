// Package filter is the line in which a filter is written: it completes words of the
// language and what the rows have, and recalls the filters used before. A Line belongs
// to the goroutine of the tea.Program.
package filter
