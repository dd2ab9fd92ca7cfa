// Package redact masks secrets before they are written: in frames, in the order
// in which a tap sees them, in command lines, and in URLs. docs/recording-format.md
// says what is masked, and with what.
package redact
