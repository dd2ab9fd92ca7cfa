// Package record keeps recordings on disk: it writes them, masks secrets in
// them, reads them while they grow and long after, and finds them again. It
// knows how a file stores frames, but not what they mean.
//
// docs/recording-format.md specifies the format. One Writer creates the file and
// no other process writes to it, so a reader needs no lock: complete lines never
// change, and an incomplete last line is still being written.
package record
