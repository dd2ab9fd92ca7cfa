// Package timeline is the strip above the messages of several sessions: a line for
// each of them, with when it said how much, what failed, and what was found. A
// Strip belongs to the goroutine of the tea.Program.
package timeline
