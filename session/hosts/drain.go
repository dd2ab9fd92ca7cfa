package hosts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"midwire/session/record"
	"midwire/session/safefile"
)

// Drain copies what shippers published to a stream. How far it has read is kept in a
// file beside the folder of recordings; what it reads twice it does not write twice.
type Drain struct {
	Options
	Stream string
	JS     jetstream.JetStream

	stream  jetstream.Stream
	boxes   map[string]*inbox
	clocks  map[string]*clock
	refused map[string]bool // by id@host
	server  clock           // of the server against this one
	place   place
	saved   time.Time
	again   bool // everything was read again, in this run
}

// place is how far a stream was read.
type place struct {
	Created time.Time `json:"created"` // when the stream was
	Seq     uint64    `json:"seq"`
}

// errAgain asks for everything from the beginning: a copy that is missing may be there.
var errAgain = errors.New("read again")

// Follow copies until ctx ends.
func (d *Drain) Follow(ctx context.Context) error {
	d.boxes, d.clocks, d.refused = map[string]*inbox{}, map[string]*clock{}, map[string]bool{}
	defer func() {
		for _, b := range d.boxes {
			b.close()
		}
	}()
	wait, fromStart := firstWait, false
	for {
		err := d.follow(ctx, fromStart)
		fromStart = false
		switch {
		case ctx.Err() != nil || errors.Is(err, errDone):
			return nil
		case errors.Is(err, errAgain):
			d.again, fromStart = true, true
			continue
		case d.Once:
			return fmt.Errorf("stream %s: %w", d.Stream, err)
		}
		d.Say(fmt.Sprintf("stream %s: %s; trying again", d.Stream, shown(err.Error())))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, lastWait)
	}
}

// open finds the stream, the server's clock, and where to continue.
func (d *Drain) open(ctx context.Context, fromStart bool) (pending uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, streamPatience)
	defer cancel()
	if d.stream, err = d.JS.Stream(ctx, d.Stream); err != nil {
		return 0, err
	}
	asked := time.Now()
	info, err := d.stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	d.server.measure(asked, time.Now(), info.TimeStamp)
	d.load()
	if fromStart || !d.place.Created.Equal(info.Created) || d.place.Seq > info.State.LastSeq {
		d.place = place{Created: info.Created}
	}
	return info.State.LastSeq, nil
}

func (d *Drain) follow(ctx context.Context, fromStart bool) error {
	last, err := d.open(ctx, fromStart)
	if err != nil {
		return err
	}
	if d.Once && d.place.Seq >= last {
		return errDone
	}
	c, err := d.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{d.Stream + ".*.*"},
		DeliverPolicy:  jetstream.DeliverByStartSequencePolicy, OptStartSeq: d.place.Seq + 1,
	})
	if err != nil {
		return err
	}
	all, err := c.Messages(jetstream.PullMaxMessages(64))
	if err != nil {
		return err
	}
	defer all.Stop()
	defer d.save(true)
	go func() { <-ctx.Done(); all.Stop() }()
	for {
		m, err := all.Next()
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if err := d.take(m, meta); err != nil {
			return err
		}
		d.place.Seq = meta.Sequence.Stream
		d.save(false)
		if d.Once && (meta.Sequence.Stream >= last || meta.NumPending == 0) {
			return errDone
		}
	}
}

// take copies one piece. An error ends the connection; what is wrong with a piece is
// said, and its recording refused from then on.
func (d *Drain) take(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
	part := strings.Split(m.Subject(), ".")
	if len(part) < 3 || part[0] != d.Stream || len(part) > 3 || CheckName(part[1]) != nil || CheckName(part[2]) != nil {
		return nil
	}
	host, id := part[1], part[2]
	name := id + "@" + host
	if d.refused[name] || !d.Choice.has(&Recording{ID: id, Live: true}) {
		return nil
	}
	err := d.copy(host, id, m, meta)
	switch {
	case err == nil:
	case errors.Is(err, errGap) && !d.again:
		return errAgain
	case errors.Is(err, errGap):
		d.refuse(name, errors.New("the stream has not kept all of it"))
	case isFinal(err):
		d.refuse(name, err)
	default:
		return err
	}
	return nil
}

func (d *Drain) copy(host, id string, m jetstream.Msg, meta *jetstream.MsgMetadata) error {
	p, err := readFields(m.Headers())
	if err != nil {
		return record.ErrNotRecording
	}
	box := d.boxes[host]
	if box == nil {
		if len(d.boxes) >= maxHosts {
			return errTooMany
		}
		box = newInbox(d.Dir, host, cmp.Or(d.Max, MaxBytes))
		d.boxes[host], d.clocks[host] = box, &clock{}
	}
	d.time(host, p.now, meta.Timestamp)
	c, err := box.copy(id)
	if err != nil {
		return err
	}
	size, err := c.Size()
	if err != nil {
		return err
	}
	if p.at > size {
		box.end(id)
		return fmt.Errorf("%w between %d and %d", errGap, size, p.at)
	}
	if of, err := proof(c, p.at); err != nil || of != p.proof {
		box.end(id)
		return errReplaced
	}
	err = box.append(id, p.at, m.Data())
	if p.ended || err != nil {
		box.end(id)
	}
	return err
}

func (d *Drain) refuse(name string, why error) {
	d.refused[name] = true
	d.Say(name + ": not copied: " + shown(why.Error()))
}

// time measures the clock of a host: the server noted when it stored what the host
// says the time of. The way there took some time, so the fastest counts.
func (d *Drain) time(host string, now, stored time.Time) {
	c := d.clocks[host]
	if now.IsZero() {
		return
	}
	offset := now.Sub(stored) + d.server.offset
	if !c.at.IsZero() && (offset <= c.offset+100*time.Millisecond || time.Since(c.at) < clockPeriod) {
		return
	}
	c.at, c.offset, c.within = time.Now(), offset, max(d.server.within, 10*time.Millisecond)
	d.Say(host + ": " + c.String())
}

// List describes what a stream has, for a person, safe for a terminal.
func (d *Drain) List(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, streamPatience)
	defer cancel()
	stream, err := d.JS.Stream(ctx, d.Stream)
	if err != nil {
		return "", fmt.Errorf("stream %s: %w", d.Stream, err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(d.Stream+".*.*"))
	if err != nil {
		return "", fmt.Errorf("stream %s: %w", d.Stream, err)
	}
	var lines []string
	for subject, n := range info.State.Subjects {
		part := strings.Split(subject, ".")
		if len(part) == 3 && CheckName(part[1]) == nil && CheckName(part[2]) == nil {
			lines = append(lines, fmt.Sprintf("%s@%s  in %d pieces\n", part[2], part[1], n))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), nil
}

// file is where the place in the stream is kept.
func (d *Drain) file() string { return filepath.Join(filepath.Dir(d.Dir), "watch-"+d.Stream+".json") }

// load reads where to continue: the beginning when that is not known.
func (d *Drain) load() {
	d.place = place{}
	if text, err := safefile.ReadOwn(d.file(), 4<<10); err == nil && len(d.Choice.IDs) == 0 {
		_ = json.Unmarshal(text, &d.place)
	}
}

// save keeps the place once a second, or now. What was chosen by hand is no place of all.
func (d *Drain) save(now bool) {
	if !now && time.Since(d.saved) < time.Second || len(d.Choice.IDs) > 0 {
		return
	}
	d.saved = time.Now()
	_ = safefile.Replace(d.file(), func(w io.Writer) error { return json.NewEncoder(w).Encode(d.place) })
}
