// Package redact masks secrets in what is written down: in frames, in the order
// in which a tap sees them, in command lines, and in URLs. docs/recording-format.md
// says what is masked, and what stands in its place.
package redact
