package hosts

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"midwire/session/record"
)

// Drain copies what shippers published to a stream. What it reads twice it does not
// write twice: nothing but the copies says how far it has come.
type Drain struct {
	Options
	Stream string
	JS     jetstream.JetStream

	stream jetstream.Stream
	boxes  map[string]*inbox

	created time.Time // when the stream was
	seq     uint64    // up to which it was read in this run
}

// Follow copies until ctx ends.
func (d *Drain) Follow(ctx context.Context) error {
	d.boxes = map[string]*inbox{}
	defer func() {
		for _, b := range d.boxes {
			b.close()
		}
	}()
	return d.retry(ctx, "stream "+d.Stream, func() error { return d.follow(ctx) })
}

// open finds the stream, its last piece, and where to continue.
func (d *Drain) open(ctx context.Context) (last uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, streamPatience)
	defer cancel()
	if d.stream, err = d.JS.Stream(ctx, d.Stream); err != nil {
		return 0, err
	}
	info, err := d.stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	if !d.created.Equal(info.Created) || d.seq > info.State.LastSeq {
		d.created, d.seq = info.Created, 0
	}
	return info.State.LastSeq, nil
}

func (d *Drain) follow(ctx context.Context) error {
	last, err := d.open(ctx)
	if err != nil {
		return err
	}
	from := jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{d.Stream + ".*.*"},
		DeliverPolicy:  jetstream.DeliverByStartSequencePolicy, OptStartSeq: d.seq + 1,
	}
	if since := d.Choice.Since; d.seq == 0 && !since.IsZero() && len(d.Choice.IDs) == 0 {
		from.DeliverPolicy, from.OptStartSeq, from.OptStartTime = jetstream.DeliverByStartTimePolicy, 0, &since
	}
	return d.read(ctx, from, d.Once, last, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
		err := d.take(ctx, m, meta)
		if err == nil {
			d.seq = meta.Sequence.Stream
		}
		return err
	})
}

// read reads pieces until ctx ends, or with end until that one; then the error is errDone.
func (d *Drain) read(
	ctx context.Context, from jetstream.OrderedConsumerConfig, end bool, last uint64,
	take func(jetstream.Msg, *jetstream.MsgMetadata) error,
) error {
	c, err := d.stream.OrderedConsumer(ctx, from)
	if err != nil {
		return err
	}
	if end && c.CachedInfo().NumPending == 0 {
		return errDone
	}
	all, err := c.Messages(jetstream.PullMaxMessages(64))
	if err != nil {
		return err
	}
	defer all.Stop()
	defer context.AfterFunc(ctx, all.Stop)()
	for {
		m, err := all.Next()
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err == nil {
			err = take(m, meta)
		}
		if err != nil {
			return err
		}
		if end && (meta.Sequence.Stream >= last || meta.NumPending == 0) {
			return errDone
		}
	}
}

// take copies one piece. An error ends the connection; what is wrong with a piece is
// said, and its recording refused from then on.
func (d *Drain) take(ctx context.Context, m jetstream.Msg, meta *jetstream.MsgMetadata) error {
	part := strings.Split(m.Subject(), ".")
	if len(part) != 3 || CheckName(part[1]) != nil || CheckName(part[2]) != nil {
		return nil
	}
	host, id := part[1], part[2]
	box := d.boxes[host]
	if box == nil {
		if len(d.boxes) >= maxHosts {
			return nil
		}
		box = newInbox(d.Dir, host, d.max())
		d.boxes[host] = box
	}
	if box.refuses(id) || !d.Choice.has(&Recording{ID: id, Live: true}) {
		return nil
	}
	err := d.copy(box, id, m)
	if errors.Is(err, errGap) { // it began before what was read
		early := jetstream.OrderedConsumerConfig{FilterSubjects: []string{m.Subject()}}
		err = d.read(ctx, early, true, meta.Sequence.Stream, func(m jetstream.Msg, _ *jetstream.MsgMetadata) error {
			return d.copy(box, id, m)
		})
	}
	switch {
	case errors.Is(err, errGap):
		err = errors.New("the stream has not kept all of it")
		fallthrough
	case isFinal(err):
		box.refuse(id, err, d.Say)
	case err != nil && !errors.Is(err, errDone):
		return err
	}
	return nil
}

func (d *Drain) copy(box *inbox, id string, m jetstream.Msg) error {
	p, err := readFields(m.Headers())
	if err != nil {
		return record.ErrNotRecording
	}
	err = box.append(id, p.at, p.proof, m.Data())
	if p.ended || err != nil {
		box.end(id)
	}
	return err
}
