package ask

import (
	"context"
	"errors"
	"io"
	"slices"

	"midwire/session"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/session/words"
)

// Quote is the beginning of a frame.
type Quote struct {
	Frame uint64 `json:"frame"`
	Kind  string `json:"kind"`
	Dir   string `json:"direction,omitempty"` // "to server" or "to client"
	Bytes int    `json:"bytes"`               // of the frame
	Text  string `json:"text"`
	Cut   bool   `json:"cut,omitempty"` // there is more of it
}

const (
	mostQuotes = 3
	quoteBytes = 480
)

// quote adds what the evidence of a finding looks like on the wire.
func (d *Diagnosis) quote(ctx context.Context, files []string, checked []export.Checked, f *export.Found) {
	at := slices.IndexFunc(checked, func(c export.Checked) bool { return c.ID == f.Recording })
	if at < 0 {
		return
	}
	wanted := slices.Clone(f.Frames[:min(len(f.Frames), mostQuotes)])
	d.Cause.Evidence = quotes(ctx, files[at], wanted)
}

// quotes reads the beginnings of frames. What cannot be read is left out.
func quotes(ctx context.Context, file string, frames []uint64) (all []Quote) {
	r, err := record.Open(file)
	if err != nil || len(frames) == 0 {
		return nil
	}
	defer r.Close()
	t := session.New(session.Options{Tap: r.Header().Tap})
	last := slices.Max(frames)
	var f wire.Frame
	for f.N < last && ctx.Err() == nil {
		if err := r.Next(&f); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return all
		}
		t.Apply(&f)
		if slices.Contains(frames, f.N) {
			all = append(all, quoteOf(&f, t.Payload(&f), quoteBytes))
		}
	}
	slices.SortFunc(all, func(a, b Quote) int {
		return slices.Index(frames, a.Frame) - slices.Index(frames, b.Frame)
	})
	return all
}

func quoteOf(f *wire.Frame, payload []byte, most int) Quote {
	if payload == nil {
		payload = f.Data
	}
	return Quote{
		Frame: f.N, Kind: f.Kind.String(), Dir: direction(f.Dir), Bytes: f.Len,
		Text: words.Clip(string(payload[:min(len(payload), most+4)]), most), Cut: len(payload) > most,
	}
}

func direction(d wire.Dir) string {
	switch d {
	case wire.ToServer:
		return "to server"
	case wire.ToClient:
		return "to client"
	}
	return ""
}
