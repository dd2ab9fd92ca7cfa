package hosts

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"
)

// The protocol: each side writes lines of JSON, and the feed behind a line with append
// so many bytes of a recording. The feed greets, lists what it has, and then sends what
// is asked for, from a position on.
const protocol = 1

// patience is how long one side may say nothing. The receiver asks for the time more
// often than that.
const patience = 45 * time.Second

// message is a line of the feed. One of its members says what it is.
type message struct {
	Feed      int        `json:"feed,omitempty"` // the protocol: the greeting
	Version   string     `json:"version,omitempty"`
	Recording *Recording `json:"recording,omitempty"` // there is one, or it changed
	Listed    bool       `json:"listed,omitempty"`    // those were all for now
	Append    string     `json:"append,omitempty"`    // Len bytes of this recording follow
	At        int64      `json:"at,omitempty"`
	Len       int        `json:"len,omitempty"`
	End       string     `json:"end,omitempty"`      // all of this recording was sent
	Removed   string     `json:"removed,omitempty"`  // this recording is not there any more
	Replaced  string     `json:"replaced,omitempty"` // this one is another than that of which the receiver has a part
	Idle      int        `json:"idle,omitempty"`     // after so many requests everything there is was sent
	Pong      int64      `json:"pong,omitempty"`     // the ping, at Now
	Now       time.Time  `json:"now,omitzero"`
}

// request is a line of the receiver.
type request struct {
	Want  string `json:"want,omitempty"` // send this recording from At on
	At    int64  `json:"at,omitempty"`
	Proof string `json:"proof,omitempty"` // of what the receiver has of it
	Stop  string `json:"stop,omitempty"`  // send no more of this recording
	Ping  int64  `json:"ping,omitempty"`
}

// Feed serves the recordings of a folder, and nothing else, to one receiver. It only
// reads.
type Feed struct {
	Dir     string
	Version string

	folder   *folder
	out      *bufio.Writer
	enc      *json.Encoder
	tails    []*tail
	wants    int
	complete bool // that everything was sent
}

// Serve serves until ctx or in ends, or nothing is heard for some time. It may return
// while a write to out is still blocked: the process should end then.
func (s *Feed) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.folder, s.out = newFolder(s.Dir), bufio.NewWriterSize(out, maxChunk)
	s.enc = json.NewEncoder(s.out)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	asked := make(chan request, 64)
	over := make(chan error, 3)
	silent := time.AfterFunc(patience, func() { over <- errors.New("feed: the receiver is silent") })
	defer silent.Stop()
	go func() {
		over <- readRequests(ctx, in, asked, func() { silent.Reset(patience) })
	}()
	go func() { over <- s.serve(ctx, asked) }()
	return <-over
}

func (s *Feed) serve(ctx context.Context, asked <-chan request) error {
	defer func() {
		for _, t := range s.tails {
			t.file.Close()
		}
	}()
	if err := s.greet(); err != nil {
		return err
	}
	buf := make([]byte, maxChunk)
	for {
		full, err := s.step(buf)
		if err != nil {
			return err
		}
		wait := tailPeriod
		if full {
			wait = 0
		}
		select {
		case <-ctx.Done():
			return nil
		case r := <-asked:
			if err := s.answer(r); err != nil {
				return err
			}
		case <-time.After(wait):
		}
	}
}

// readRequests returns nil at the end of in.
func readRequests(ctx context.Context, in io.Reader, to chan<- request, heard func()) error {
	lines := bufio.NewReaderSize(in, maxLine)
	for {
		var r request
		switch err := readLine(lines, &r); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		heard()
		select {
		case to <- r:
		case <-ctx.Done():
			return nil
		}
	}
}

// greet lists what there is.
func (s *Feed) greet() error {
	if err := s.enc.Encode(message{Feed: protocol, Version: s.Version, Now: time.Now()}); err != nil {
		return err
	}
	if err := s.list(); err != nil {
		return err
	}
	return errors.Join(s.enc.Encode(message{Listed: true}), s.out.Flush())
}

// list says what changed in the folder.
func (s *Feed) list() error {
	changed, removed, err := s.folder.look()
	for _, id := range removed {
		err = errors.Join(err, s.enc.Encode(message{Removed: id}))
	}
	for _, k := range changed {
		err = errors.Join(err, s.enc.Encode(message{Recording: &k.Recording}))
	}
	return err
}

// answer does what the receiver asks for.
func (s *Feed) answer(r request) error {
	if r.Ping != 0 {
		return errors.Join(s.enc.Encode(message{Pong: r.Ping, Now: time.Now()}), s.out.Flush())
	}
	same := func(t *tail) bool { return t.id == r.Want || t.id == r.Stop }
	if i := slices.IndexFunc(s.tails, same); i >= 0 && r.Stop != "" {
		s.tails[i].file.Close()
		s.tails = slices.Delete(s.tails, i, i+1)
	}
	if r.Want == "" {
		return nil
	}
	s.wants, s.complete = s.wants+1, false
	if s.folder.known[r.Want] == nil || slices.ContainsFunc(s.tails, same) {
		return s.enc.Encode(message{Removed: r.Want})
	}
	t, err := s.folder.tail(r.Want, r.At)
	if err != nil {
		return s.enc.Encode(message{Removed: r.Want})
	}
	if r.At < 0 || !proves(t.file, r.At, r.Proof) {
		t.file.Close()
		return s.enc.Encode(message{Replaced: r.Want})
	}
	s.tails = append(s.tails, t)
	return nil
}

// step sends one chunk of each recording that has one, and what changed in the folder.
// full reports that there is more already.
func (s *Feed) step(buf []byte) (full bool, err error) {
	sent := false
	if s.folder.due() {
		if err := s.list(); err != nil {
			return false, err
		}
	}
	rest := s.tails[:0]
	for _, t := range s.tails {
		at := t.at
		chunk, done, err := t.next(s.folder, buf)
		if len(chunk) > 0 {
			sent, full = true, full || len(chunk) == len(buf)
			err = errors.Join(err, s.enc.Encode(message{Append: t.id, At: at, Len: len(chunk)}), write(s.out, chunk))
		}
		said := message{}
		switch {
		case err != nil:
			return false, err
		case len(chunk) > 0:
		case s.folder.known[t.id] == nil:
			said.Removed = t.id
		case done:
			said.End = t.id
		}
		if said == (message{}) {
			rest = append(rest, t)
			continue
		}
		t.file.Close()
		if err := s.enc.Encode(said); err != nil {
			return false, err
		}
	}
	s.tails = rest
	if !sent && !s.complete && s.wants > 0 {
		s.complete = true
		err = s.enc.Encode(message{Idle: s.wants})
	}
	return full, errors.Join(err, s.out.Flush())
}

func write(w io.Writer, p []byte) error { _, err := w.Write(p); return err }

// readLine reads one line of JSON.
func readLine(r *bufio.Reader, into any) error {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return errors.New("the other side sent a line that is too long")
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}
