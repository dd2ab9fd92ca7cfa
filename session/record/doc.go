// Package record keeps recordings on disk: it writes them, masks secrets in
// them, reads them while they grow and long after, and finds them again. It
// knows how frames lie in a file and nothing of what they mean.
//
// The format is specified in docs/recording-format.md. One Writer created the
// file and no other process writes to it, so a reader needs no lock: complete
// lines never change, and an incomplete last line is simply not there yet.
package record
