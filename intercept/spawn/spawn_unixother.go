//go:build unix && !linux

package spawn

const lastSignal = 32
