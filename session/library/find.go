package library

import (
	"context"
	"errors"
	"io"
	"regexp"

	"midwire/session"
	"midwire/session/record"
	"midwire/session/wire"
)

// Match is a frame that Find has read. It is valid until the next one.
type Match struct {
	*wire.Frame
	Tracker *session.Tracker
	Step    session.Step
	Text    []byte // its payload, decompressed where that can be done; unescaped where the pattern stands only then
	At      []int  // where the pattern stands in it, nil for nowhere
}

// Find reads a recording, and calls each with every frame in order until that returns false.
func Find(ctx context.Context, path string, re *regexp.Regexp, each func(Match) bool) error {
	r, err := record.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	t := session.New(session.Options{Tap: r.Header().Tap})
	var f wire.Frame
	for ctx.Err() == nil {
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		one := Match{Frame: &f, Tracker: t, Step: t.Apply(&f), Text: Payload(t, &f)}
		if one.At = re.FindIndex(one.Text); one.At == nil {
			for text := range wire.Unescaped(one.Text) {
				if at := re.FindIndex(text); at != nil {
					one.Text, one.At = text, at
					break
				}
			}
		}
		if !each(one) {
			return nil
		}
	}
	return ctx.Err()
}

// Payload is that of a frame, decompressed where that can be done.
func Payload(t *session.Tracker, f *wire.Frame) []byte {
	if p := t.Payload(f); p != nil && f.HoldsMessages() {
		return p
	}
	return f.Data
}
