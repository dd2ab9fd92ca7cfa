package summary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/wire"
)

var errNone = errors.New("not a midwire summary")

// decode reads a kept summary. Anyone may have put it there: it is read only
// when it is what Make could have made.
func decode(raw []byte) (*Recording, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	s := &Recording{}
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("%w: %w", errNone, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: data follows it", errNone)
	}
	if !s.sound() {
		return nil, errNone
	}
	return s, nil
}

// UnmarshalJSON reads no more sessions than there may be: a few bytes of a file
// can stand for one that takes much more in memory.
func (s *Sessions) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errNone
	}
	*s = Sessions{}
	for d.More() {
		if len(*s) == MaxSessions {
			return errNone
		}
		var one Session
		if err := d.Decode(&one); err != nil {
			return err
		}
		*s = append(*s, one)
	}
	return nil
}

func (s *Recording) sound() bool {
	ok := s.Format == Format && s.Sessions != nil && len(s.Sessions) <= min(s.Total, MaxSessions) &&
		(s.Cut || len(s.Sessions) == s.Total) && natural(s.Frames, s.Unreadable) &&
		short(s.Replays, s.Maker, s.Of.Hash, s.Compared) && found(s.Findings)
	last := -1
	for i := range s.Sessions {
		one := &s.Sessions[i]
		ok = ok && one.Index > last && one.Index < s.Total && one.sound()
		last = one.Index
	}
	return ok
}

func (s *Session) sound() bool {
	ok := s.IDSource <= session.IDArgument && s.Transport <= session.TransportSSE && s.State <= session.StateClosed &&
		s.Started >= 0 && s.Last >= s.Started && s.P50 >= 0 && s.P95 >= s.P50 &&
		natural(s.Messages, s.Requests, s.Calls, s.Errors, s.Pending, s.MoreTools) &&
		short(s.ID, s.Why, string(s.ProtocolVersion), s.Client.Name, s.Client.Title, s.Client.Version,
			s.Server.Name, s.Server.Title, s.Server.Version) &&
		len(s.Steps) <= maxSteps && len(s.Tools) <= maxTools && len(s.Rows) <= maxRows &&
		found(s.Findings) && sound(&s.Result) && len(s.Card) <= maxCard
	for _, l := range s.Card {
		ok = ok && short(l.Label) && len(l.Parts) <= maxParts && len(l.Frames) == 0 &&
			!slices.ContainsFunc(l.Parts, func(p evidence.Part) bool { return len(p.Text) > maxPart+len("…") })
	}
	for _, step := range s.Steps {
		ok = ok && step.Mark <= session.StepSkipped && step.T >= 0 && step.Took >= 0 && short(step.Name, step.Note)
	}
	for _, t := range s.Tools {
		ok = ok && short(t.Name) && t.Errors >= 0 && t.Errors <= t.Calls
	}
	for _, r := range s.Rows {
		dir := r.Dir == wire.NoDir || r.Dir == wire.ToServer || r.Dir == wire.ToClient
		ok = ok && dir && r.Kind <= session.RowTap && r.Ending.Known() &&
			r.T >= 0 && r.Latency >= 0 && short(r.Method, r.Target, r.Result)
	}
	return ok
}

func sound(v *diagnose.Verdict) bool {
	return v.Outcome <= diagnose.OnPurpose && v.Side <= diagnose.Midwire &&
		(!v.Known || v.Outcome == diagnose.Failed || v.Outcome == diagnose.Unseen) && v.Severity <= diagnose.Note &&
		short(v.Rule, v.Line, v.Short)
}

func found(list []Finding) bool {
	ok := len(list) <= maxFindings
	for _, f := range list {
		ok = ok && f.Severity >= diagnose.Error && f.Severity <= diagnose.Note && f.Side <= diagnose.Midwire &&
			f.Times > 0 && short(f.Rule, f.Title)
	}
	return ok
}

// short reports whether texts are as Make cuts them.
func short(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool { return len(t) > MaxText+len("…") })
}

func natural(numbers ...int) bool {
	return !slices.ContainsFunc(numbers, func(n int) bool { return n < 0 })
}
