// Package document lays out and shows what is read line by line: text in styles,
// bytes from the wire broken at the width of a pane, JSON as a tree that folds, and
// bytes as numbers. Build makes a Doc of bytes and is pure, so that a command can
// run it; a Viewer scrolls one, with a cursor, folds and found text.
package document
