// Package query makes a filter of session/filter ready for rows and frames: a
// term decides by what library knows of a row, and a PayloadMatcher by the bytes
// of its messages, which the caller reads. A Query is never changed.
package query
