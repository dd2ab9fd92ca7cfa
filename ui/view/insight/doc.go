// Package insight has the views that the insights of a recording answer: tools,
// capabilities, event streams and handles, and the reader that gathers these.
package insight
