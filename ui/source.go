// Package ui is the terminal interface: sessions, their life cycle, their
// messages in words, and the bytes behind each.
//
// Model is the only tea.Model; everything else is a plain struct with methods
// that Update calls. Nothing in Update blocks: payloads and news come from a
// Source by commands. Text from the wire reaches the screen only as safe.Text.
package ui

import (
	"context"
	"time"

	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/ui/filter"
	"midwire/ui/replaying"
)

// What a Source delivers.
type (
	Recording = wire.Recording
	Tagged    = wire.Tagged
	Batch     = wire.Batch
)

// Source delivers recordings and their frames. Its methods are called from
// commands, never from Update; Next by one command at a time.
type Source interface {
	// Next blocks until there is news or ctx ends. An error ends delivery.
	Next(ctx context.Context) (Batch, error)
	// Open asks for the frames of a recording that is listed and not loaded.
	// Live ones are delivered without being asked for.
	Open(rec string)
	// Frame returns a frame with its payload, which the caller may keep.
	Frame(rec string, n uint64) (wire.Frame, error)
}

// Hints are the texts of the empty screen. Empty ones are left out.
type Hints struct {
	Config   string // what to write into a client's configuration; y copies it
	HTTPURL  string // where an HTTP tap of this process listens
	Upstream string // where it forwards to
}

// Options say how the interface looks and behaves. The zero value works.
type Options struct {
	Theme    string // one of Themes, "auto" by default
	NoColor  bool   // no hues: bold and reverse only
	ASCII    bool   // signs and lines of ASCII only
	Now      func() time.Time
	Hints    Hints
	Title    string // for the window title and an empty header; "midwire" by default
	Version  string
	Filters  filter.Keeper      // nil where filters are not kept
	Exporter Exporter           // nil where nothing can be written
	Replayer replaying.Replayer // nil where nothing can be replayed
	Comparer Comparer           // nil where recordings are not compared
	Notebook Notebook           // nil where notes are not kept
	Settings
	Pair         bool // two recordings were opened together: they are compared whatever their flow
	TapInProcess bool // quitting ends a tap: ask first while a recording is live

	rules []*diagnose.Rule // for tests; the whole catalogue when nil
}
