// Package gating is the gate of a proxy on the screen: what is held, and what
// is decided about it. The screen is a controller like any other.
package gating
