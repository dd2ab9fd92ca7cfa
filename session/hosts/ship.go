package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A stream has the subject STREAM.HOST.RECORDING for each recording, in pieces with
// these fields. At is the position, Proof that of what comes before it.
const (
	fieldAt    = "Midwire-At"
	fieldProof = "Midwire-Proof"
	fieldState = "Midwire-State"

	stateLive, stateEnded = "live", "ended"
)

// What a stream that midwire creates keeps.
const (
	streamAge   = 7 * 24 * time.Hour
	streamBytes = 1 << 30
)

// streamPatience is how long an operation on a stream may take.
const streamPatience = 5 * time.Second

var errUnmasked = errors.New("its header does not say that credentials are masked: " +
	"it was recorded with --keep-secrets, or by an older midwire, and a stream is read by others")

// Shipper publishes the recordings of a folder to a stream. The stream knows how far it
// has come: there is no state here, and a piece is accepted only behind the one before.
type Shipper struct {
	Options
	Host     string // the name of this host; CheckName accepts it, without dots
	Stream   string
	Replicas int
	JS       jetstream.JetStream

	full    bool // there is more to publish already
	folder  *folder
	parcels map[string]*parcel
	buf     []byte
}

// parcel is one recording on its way.
type parcel struct {
	tail *tail // nil until its position is known
	seq  uint64
}

// CheckToken returns an error unless a name can be a part of a subject.
func CheckToken(name string) error {
	if strings.Contains(name, ".") {
		return fmt.Errorf("%q has a dot", shown(name))
	}
	return CheckName(name)
}

// Ship publishes until ctx ends. While the server is not reached it waits: a proxy
// notices nothing of that.
func (s *Shipper) Ship(ctx context.Context) error {
	s.folder, s.parcels = newFolder(s.Dir), map[string]*parcel{}
	defer func() {
		for id, p := range s.parcels {
			s.drop(id, p, "")
		}
	}()
	return s.retry(ctx, "stream "+s.Stream, func() error { return s.publish(ctx) })
}

func (s *Shipper) publish(ctx context.Context) error {
	if err := s.stream(ctx); err != nil {
		return err
	}
	s.buf = make([]byte, max(1<<10, min(maxChunk, s.JS.Conn().MaxPayload()-4<<10))) // beside the fields of a piece
	for {
		busy, err := s.round(ctx)
		pause := tailPeriod
		switch {
		case err != nil:
			return err
		case s.Once && !busy:
			return errDone
		case s.full:
			pause = 0
		}
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
	}
}

// stream creates the stream unless it is there. One that is there stays as it was made.
func (s *Shipper) stream(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, streamPatience)
	defer cancel()
	_, err := s.JS.Stream(ctx, s.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = s.JS.CreateStream(ctx, jetstream.StreamConfig{
			Name: s.Stream, Subjects: []string{s.Stream + ".*.*"}, Description: "recordings of midwire ship",
			MaxAge: streamAge, MaxBytes: streamBytes, Replicas: max(1, s.Replicas), Duplicates: 10 * time.Minute,
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another shipper was faster
			err = nil
		}
	}
	return err
}

// round publishes one piece of each recording that has one.
func (s *Shipper) round(ctx context.Context) (busy bool, err error) {
	if s.folder.due() {
		if err := s.look(); err != nil {
			return false, err
		}
	}
	s.full = false
	for id, p := range s.parcels {
		if p.tail == nil {
			if err := s.resume(ctx, id, p); err != nil {
				return busy, err
			}
			busy = true
			continue
		}
		more, err := s.piece(ctx, id, p)
		if err != nil {
			p.tail.file.Close()
			p.tail = nil // the stream says where to continue
			return busy, err
		}
		busy = busy || more
	}
	return busy, nil
}

// look takes in what is new in the folder.
func (s *Shipper) look() error {
	changed, _, err := s.folder.look()
	if err != nil {
		return err
	}
	for _, k := range changed {
		switch {
		case !s.Choice.has(&k.Recording) || s.parcels[k.ID] != nil || CheckToken(k.ID) != nil:
		case !k.masked && len(s.Choice.IDs) > 0:
			return fmt.Errorf("recording %s: %w", k.ID, errUnmasked)
		case !k.masked:
			s.Say(k.ID + " is not shipped: " + errUnmasked.Error())
		default:
			s.parcels[k.ID] = &parcel{}
		}
	}
	return nil
}

// resume asks the stream how much of a recording it has.
func (s *Shipper) resume(ctx context.Context, id string, p *parcel) error {
	ctx, cancel := context.WithTimeout(ctx, streamPatience)
	defer cancel()
	stream, err := s.JS.Stream(ctx, s.Stream)
	if err != nil {
		return err
	}
	last, err := stream.GetLastMsgForSubject(ctx, s.subject(id))
	none := errors.Is(err, jetstream.ErrMsgNotFound)
	if err != nil && !none {
		return err
	}
	var had piece
	at := int64(0)
	if p.seq = 0; !none {
		if had, err = readFields(last.Header); err != nil { // the others are shipped all the same
			s.drop(id, p, "what another put at the end of its subject in the stream: "+err.Error())
			return nil
		}
		at, p.seq = had.at+int64(len(last.Data)), last.Sequence
	}
	if had.ended {
		s.drop(id, p, "")
		return nil
	}
	p.tail, err = s.folder.tail(id, at)
	if err == nil && !none && !proves(p.tail.file, had.at, had.proof) {
		err = errReplaced
	}
	if err != nil {
		s.drop(id, p, shown(err.Error()))
	}
	return nil
}

// drop stops the shipping of a recording.
func (s *Shipper) drop(id string, p *parcel, why string) {
	if p.tail != nil {
		p.tail.file.Close()
	}
	delete(s.parcels, id)
	if why != "" {
		s.Say(id + " is not shipped any more: " + why)
	}
}

// piece publishes what comes next of a recording, if there is something.
func (s *Shipper) piece(ctx context.Context, id string, p *parcel) (more bool, err error) {
	at := p.tail.at
	chunk, done, err := p.tail.next(s.folder, s.buf)
	if err != nil {
		return false, err
	}
	if len(chunk) == 0 && !done {
		if s.folder.known[id] == nil {
			s.drop(id, p, "it was removed")
		}
		return false, nil
	}
	before, err := proof(p.tail.file, at)
	if err != nil {
		return false, err
	}
	m := nats.NewMsg(s.subject(id))
	m.Data = chunk
	m.Header.Set(fieldAt, strconv.FormatInt(at, 10))
	m.Header.Set(fieldProof, before)
	m.Header.Set(fieldState, stateLive)
	if done {
		m.Header.Set(fieldState, stateEnded)
	}
	ctx, cancel := context.WithTimeout(ctx, streamPatience)
	defer cancel()
	ack, err := s.JS.PublishMsg(ctx, m,
		jetstream.WithMsgID(fmt.Sprintf("%s/%s/%d/%d/%s", s.Host, id, at, len(chunk), m.Header.Get(fieldState))),
		jetstream.WithExpectLastSequencePerSubject(p.seq), jetstream.WithRetryAttempts(0))
	if err != nil {
		return false, err
	}
	s.full = s.full || len(chunk) == len(s.buf)
	if p.seq = ack.Sequence; done {
		s.drop(id, p, "")
	}
	return true, nil
}

func (s *Shipper) subject(id string) string { return s.Stream + "." + s.Host + "." + id }

// piece is what the fields of a message say.
type piece struct {
	at    int64
	proof string
	ended bool
}

func readFields(h nats.Header) (p piece, err error) {
	p.at, err = strconv.ParseInt(h.Get(fieldAt), 10, 64)
	if err != nil || p.at < 0 || h.Get(fieldProof) == "" {
		return p, errors.New("that is no piece of a recording")
	}
	p.proof, p.ended = h.Get(fieldProof), h.Get(fieldState) == stateEnded
	return p, nil
}

// HostName is the name of this machine as a stream and a file can have it.
func HostName() string {
	name, _ := os.Hostname()
	name, _, _ = strings.Cut(name, ".")
	if CheckToken(name) != nil {
		return ""
	}
	return name
}
