package hosts

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"midwire/session/words"
)

const (
	pingPeriod = 5 * time.Second
	silence    = 20 * time.Second // after which the link is taken for cut
	wanted     = 50               // recordings that are asked for at the same time
	noise      = 100              // lines that a login may print before the feed greets
)

// Receiver copies what the feed of one host offers. It keeps what it knows from one
// connection to the next.
type Receiver struct {
	Options
	Host string // the name under which the copies are; CheckName accepts it

	box     *inbox
	offered map[string]*Recording // all that the host has
	clock   clock

	// Of one connection.
	queue         []*Recording
	queued        map[string]bool
	asked         map[string]bool
	wants         int
	greeted, full bool // full: all were listed
	asks          chan request
}

// say reports something about a recording or, with "", the host.
func (r *Receiver) say(id, format string, a ...any) {
	who := r.Host
	if id != "" {
		who = id + "@" + r.Host
	}
	r.Say(who + ": " + fmt.Sprintf(format, a...))
}

// receive takes what a feed sends until the connection ends or is silent, when it calls
// hangUp. The error is errDone or says why it ended.
func (r *Receiver) receive(ctx context.Context, in io.Reader, out io.Writer, hangUp func()) error {
	if r.box == nil {
		r.box = newInbox(r.Dir, r.Host, r.max())
	}
	r.queue, r.wants, r.greeted, r.full = nil, 0, false, false
	r.offered, r.queued, r.asked = map[string]*Recording{}, map[string]bool{}, map[string]bool{}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	alive := &watched{in: in}
	lines := bufio.NewReaderSize(alive, maxLine)
	late := time.AfterFunc(patience, hangUp)
	err := r.meet(lines)
	if late.Stop(); err != nil {
		return err
	}
	r.asks = make(chan request, 4*wanted)
	go send(ctx, out, r.asks, alive, hangUp)
	for {
		var m message
		if err := readLine(lines, &m); err != nil {
			return err
		}
		if err := r.handle(&m, lines); err != nil {
			return err
		}
	}
}

// send writes requests, asks for the time, and hangs up when nothing comes.
func send(ctx context.Context, out io.Writer, asks <-chan request, alive *watched, hangUp func()) {
	enc := json.NewEncoder(out)
	every := time.NewTicker(pingPeriod)
	defer every.Stop()
	failed := false
	for first := true; ; first = false {
		ask := request{Ping: alive.now()}
		if !first {
			select {
			case <-ctx.Done():
				return
			case ask = <-asks:
			case <-every.C:
				if ask.Ping = alive.now(); alive.idle() > silence {
					hangUp()
					return
				}
			}
		}
		if failed = failed || enc.Encode(ask) != nil; failed && ask.Ping != 0 {
			hangUp()
			return
		}
	}
}

// request asks for something. Two for each recording that is wanted may wait: a feed that
// lets more wait does not read them.
func (r *Receiver) request(q request) error {
	select {
	case r.asks <- q:
		return nil
	default:
		return errors.New("it does not read what it is asked")
	}
}

// meet passes over what a login prints and reads the greeting.
func (r *Receiver) meet(lines *bufio.Reader) error {
	for range noise {
		start, err := lines.Peek(len(`{"feed":`))
		if err != nil {
			return err
		}
		if string(start) != `{"feed":` {
			if _, err := lines.ReadSlice('\n'); err != nil {
				return err
			}
			continue
		}
		var m message
		if err := readLine(lines, &m); err != nil {
			return err
		}
		if m.Feed != protocol {
			return fmt.Errorf("its midwire %s speaks another protocol (%d, this one %d): update one of them", shown(m.Version), m.Feed, protocol)
		}
		r.greeted = true
		return nil
	}
	return errors.New("it does not greet: midwire feed was not started")
}

func (r *Receiver) handle(m *message, in *bufio.Reader) error {
	switch {
	case m.Recording != nil:
		return r.offer(m.Recording)
	case m.Listed:
		r.listed()
	case m.Append != "":
		return r.take(m, in)
	case m.End != "":
		r.finish(m.End)
	case m.Removed != "":
		if r.asked[m.Removed] {
			r.say(m.Removed, "was removed there; what was copied stays")
		}
		delete(r.offered, m.Removed)
		r.finish(m.Removed)
	case m.Replaced != "" && r.asked[m.Replaced]:
		delete(r.asked, m.Replaced)
		r.box.refuse(m.Replaced, errReplaced, r.Say)
	case m.Pong != 0:
		r.pong(m)
	case m.Idle == r.wants && r.Once && r.full && len(r.queue) == 0:
		return errDone
	}
	return r.ask()
}

// offer takes note of a recording, or of a change of one.
func (r *Receiver) offer(one *Recording) error {
	if err := CheckName(one.ID); err != nil {
		return fmt.Errorf("it has a recording with a wrong name: %w", err)
	}
	// One that is removed while it waits still waits.
	if max(len(r.offered), len(r.queue)) >= maxRecordings && r.offered[one.ID] == nil {
		return fmt.Errorf("it has more than %d recordings", maxRecordings)
	}
	one.Label = strings.Clone(words.Clip(one.Label, maxLabel))
	r.offered[one.ID] = one
	if r.box.refuses(one.ID) || r.asked[one.ID] || r.queued[one.ID] || !r.Choice.has(one) {
		return nil
	}
	r.queue, r.queued[one.ID] = append(r.queue, one), true
	if r.full {
		return r.ask()
	}
	return nil
}

// listed says how much there is, and has what is live asked for first.
func (r *Receiver) listed() {
	slices.SortStableFunc(r.queue, func(a, b *Recording) int {
		if a.Live != b.Live {
			return map[bool]int{true: -1, false: 1}[a.Live]
		}
		return b.Started.Compare(a.Started)
	})
	r.full = true
	r.say("", "connected: %s, %d to copy, at most %s in this run (--max)",
		words.Count(len(r.offered), "recording"), len(r.queue), amount(r.max()))
}

// ask asks for what is next in the queue, from the end of what is here.
func (r *Receiver) ask() error {
	for r.full && len(r.queue) > 0 && len(r.asked) < wanted {
		id := r.queue[0].ID
		r.queue = r.queue[1:]
		delete(r.queued, id)
		at, of, err := r.box.state(id)
		if isFinal(err) {
			r.box.refuse(id, err, r.Say)
			continue
		}
		if err != nil {
			return err
		}
		r.asked[id] = true
		r.wants++
		if err := r.request(request{Want: id, At: at, Proof: of}); err != nil {
			return err
		}
	}
	if r.Once && r.full && r.wants == 0 {
		r.wants++
		return r.request(request{Want: "-"}) // there is no such one, and what follows is Idle
	}
	return nil
}

// take reads bytes of a recording into its copy.
func (r *Receiver) take(m *message, in *bufio.Reader) error {
	if m.Len <= 0 || m.Len > maxChunk || m.At < 0 {
		return errors.New("it sent a chunk of a wrong length")
	}
	data := make([]byte, m.Len)
	if _, err := io.ReadFull(in, data); err != nil {
		return err
	}
	if !r.asked[m.Append] {
		return nil
	}
	err := r.box.append(m.Append, m.At, "", data)
	if isFinal(err) {
		delete(r.asked, m.Append)
		r.box.refuse(m.Append, err, r.Say)
		return errors.Join(r.request(request{Stop: m.Append}), r.ask())
	}
	if err != nil {
		return fmt.Errorf("recording %s: %w", shown(m.Append), err)
	}
	return nil
}

func (r *Receiver) finish(id string) {
	delete(r.asked, id)
	r.box.end(id)
}

// pong measures the clocks. The offset is shown once, and when it changes.
func (r *Receiver) pong(m *message) {
	sent := time.Unix(0, m.Pong)
	if text := r.clock.measure(sent, time.Now(), m.Now); text != "" {
		r.say("", "%s", text)
	}
}

// watched is a reader that knows when it last read something.
type watched struct {
	in   io.Reader
	last atomic.Int64
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.in.Read(p)
	w.touch()
	return n, err
}

func (w *watched) touch()              { w.last.Store(time.Now().UnixNano()) }
func (w *watched) now() int64          { return time.Now().UnixNano() }
func (w *watched) idle() time.Duration { return time.Since(time.Unix(0, w.last.Load())) }

// clock is how far the clock of another host is ahead, as far as that is known.
type clock struct {
	offset   time.Duration
	within   time.Duration // half of the fastest way there and back; 0: not known
	reported time.Duration
	at       time.Time // when it was said; zero: never
}

// clockPeriod is how often a change of a clock is said at most.
const clockPeriod = 10 * time.Second

// measure takes a time of the other host, asked for and received at times of this one.
// It returns what to say when that is news.
func (c *clock) measure(sent, got, other time.Time) string {
	within := got.Sub(sent) / 2
	if within < 0 || within > time.Minute || other.IsZero() {
		return ""
	}
	offset, within := other.Sub(sent.Add(within)), max(within, 1)
	drifted := (offset - c.offset).Abs() > within+c.within
	if c.within == 0 || within < c.within || drifted {
		c.offset, c.within = offset, within
	}
	changed := (c.offset - c.reported).Abs() > max(100*time.Millisecond, 2*c.within)
	if !c.at.IsZero() && (!changed || got.Sub(c.at).Abs() < clockPeriod) {
		return ""
	}
	c.at, c.reported = got, c.offset
	return c.String()
}

// String says how the clocks differ.
func (c *clock) String() string {
	within := c.within.Round(time.Millisecond)
	if c.offset.Abs() <= c.within+time.Millisecond {
		return fmt.Sprintf("its clock agrees with this one (± %v)", max(within, time.Millisecond))
	}
	which := "ahead of"
	if c.offset < 0 {
		which = "behind"
	}
	return fmt.Sprintf("its clock is %v %s this one (± %v)", c.offset.Abs().Round(time.Millisecond), which, max(within, time.Millisecond))
}
