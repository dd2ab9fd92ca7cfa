package intercept

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"

	"midwire/session/record"
)

// Fleet puts several taps into one flow: HTTP taps in this process, and command
// lines that make a stdio tap each. Its methods may be called by several
// goroutines.
type Fleet struct {
	Ctx     context.Context // ends the HTTP taps
	Options HTTPOptions
	// Record makes the recording of an HTTP tap.
	Record func(h record.Header) *record.Writer
	// Shim is the command line of a stdio tap, up to "--".
	Shim func(label string) []string

	mu    sync.Mutex // guards stops
	stops []func() error
}

// HTTP starts a tap in front of target and returns the origin that a client is
// to use instead. It runs until Close.
func (f *Fleet) HTTP(label string, target *url.URL) (*url.URL, error) {
	tap, stop, err := f.Options.Start(f.Ctx, target, record.Header{Label: label}, f.Record, nil)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.stops = append(f.stops, stop)
	f.mu.Unlock()
	return url.Parse(tap.Origin())
}

// Stdio returns the command line to run instead of command.
func (f *Fleet) Stdio(label string, command []string) []string {
	return slices.Concat(f.Shim(label), []string{"--"}, command)
}

// Close ends the HTTP taps; their recordings are complete when it returns.
func (f *Fleet) Close() error {
	f.mu.Lock()
	stops := f.stops
	f.stops = nil
	f.mu.Unlock()
	var errs []error
	for _, stop := range stops {
		errs = append(errs, stop())
	}
	return errors.Join(errs...)
}
