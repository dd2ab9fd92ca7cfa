// Package library is what the screen knows of recordings: their frames and rows
// in a few bytes each, rows in words, what is found in them, what belongs
// together, and what the user wrote. It reads nothing by itself: frames are
// applied as they come. All of it belongs to the goroutine of the tea.Program.
package library
