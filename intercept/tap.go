// Package intercept puts midwire in the path between an MCP client and an MCP
// server. It moves bytes and records what it saw; it never interprets it.
//
// A tap consists of pumps, which forward, and one observer, which frames and
// records copies of what they forwarded. These are all the goroutines:
//
//   - one pump for each direction of each stream, started by the tap that owns
//     the stream, blocked in Read or Write, ended by the end of the stream;
//   - the observer, started by newTap, blocked on its queue or in the
//     recording's Write, ended by close, which waits for it;
//   - stdio: one that waits for the process, one that forwards signals, one that
//     waits for Stop, one that looks whether the client has died; HTTP: one that
//     accepts. Each ends with its tap.
package intercept

import (
	"encoding/json"
	"errors"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"midwire/intercept/gate"
	"midwire/session/defect"
	"midwire/session/pace"
	"midwire/session/record"
	"midwire/session/wire"
)

// closePatience is how long the observer may stand still before a tap that ends
// gives its recording up: a disk that hangs must not keep a client waiting.
const closePatience = 5 * time.Second

// hugeFrame is the size from which a frame's memory is given back at once.
const hugeFrame = 32 << 20

// Tap is one run of midwire in the path of one server. It numbers what passes
// and writes it to one recording.
type Tap struct {
	started time.Time
	q       *queue
	opened  chan struct{} // closed when there is a recording, or none can be
	done    chan struct{}
	once    sync.Once
	trouble func(error) // called with errors; may be nil
	gate    *gate.Gate  // nil for none; set before anything is tapped

	maxLine, maxBody int // longest units recorded as one frame

	// Owned by the observer.
	rec   *record.Writer
	huge  bool // a huge frame was recorded since memory was given back
	frame wire.Frame
	lastX uint32
	lastT int64
	spare []*exchange // for reuse
	slow  []*stall    // pumps whose peers may not read
	// usualEnd is the payload of the close of almost every exchange.
	usualEnd []byte
}

var errUnfinished = errors.New("the recording has no end: its disk does not answer")

// newTap starts the observer of a tap that writes to what open returns, which
// is called in the observer's goroutine. started is the time in the
// recording's header. trouble is called, in its own goroutine, when something goes
// wrong; it may be nil.
func newTap(open func() *record.Writer, started time.Time, trouble func(error)) *Tap {
	t := &Tap{
		started: started, q: newQueue(trouble), opened: make(chan struct{}), done: make(chan struct{}),
		trouble: trouble, maxLine: whole(maxLine), maxBody: whole(maxBody),
	}
	t.usualEnd, _ = json.Marshal(wire.Close{By: wire.ByServer, Clean: true})
	go t.observe(open)
	return t
}

// whole returns how long a unit may be to be recorded as one frame: most, or
// less where the memory of this process is limited (GOMEMLIMIT). A unit takes
// up to three times its size, and collecting garbage near the limit would keep
// the observer from keeping up.
func whole(most int) int {
	if os.Getenv("GOMEMLIMIT") == "" { // the limit that a screen sets follows what is needed
		return most
	}
	return int(min(int64(most), max(debug.SetMemoryLimit(-1)/8, 1<<20)))
}

// room is memory for a unit that is as long as one that is recorded as one
// frame, and the read that makes it longer.
func (t *Tap) room() ([]byte, func()) { return mapped(max(t.maxLine, t.maxBody) + blockSize) }

// now is the time that frames carry: nanoseconds since the recording started.
func (t *Tap) now() int64 { return int64(time.Since(t.started)) }

// close ends the observer when everything put before was recorded, and the
// recording with it. It may be called more than once. When the disk does not
// answer it gives up: the recording is left without an end, as after a kill.
func (t *Tap) close() {
	t.once.Do(func() {
		t.q.do(t.now(), nil)
		t.q.hurry()
	})
	for before := t.q.steps.Load(); ; {
		select {
		case <-t.done:
			return
		case <-time.After(closePatience):
		}
		now := t.q.steps.Load()
		if now == before {
			if t.trouble != nil {
				t.trouble(errUnfinished)
			}
			return
		}
		before = now
	}
}

// observe is the observer. It alone touches the framers and the recording.
func (t *Tap) observe(open func() *record.Writer) {
	defer close(t.done)
	t.rec = open()
	close(t.opened)
	var b batch
	var r rest
	var work pace.Work
	for {
		t.q.take(&b)
		for _, o := range b.items {
			if o.to == nil && o.do == nil {
				t.lookAtStalls(true)
				t.reportLoss(b.missing, b.gone)
				_ = t.rec.Close() // it reported its error when that began
				return
			}
			t.attend(&o)
			t.q.steps.Add(1)
			if b.size <= queueHurry { // else it has to catch up
				work.Did(len(o.data))
			}
		}
		t.reportLoss(b.missing, b.gone)
		t.lookAtStalls(false)
		if len(b.items) > 0 {
			t.rec.Flush()
		}
		if t.huge {
			t.huge = false
			b.drop()
			debug.FreeOSMemory() // else the next one is added to the garbage of this one
		}
		r.adapt(&b)
		t.rest(&r)
	}
}

// attend observes one item. What panics there loses the item, and the recording
// says so: traffic does not wait for what reads it.
func (t *Tap) attend(o *observed) {
	defer defect.Recover("the observer of the traffic", 0, func(d *defect.Defect) {
		gap := wire.Gap{Bytes: int64(len(o.data)), Why: d.Error()}
		if o.to == nil {
			gap.Frames = 1
		} else if again := defect.Guard(d.Unit, 0, func() { o.to.lost(o.t, gap.Bytes) }); again != nil {
			t.tellTrouble(again)
		}
		t.fact(o.t, wire.Frame{Kind: wire.KindGap}, gap)
		t.tellTrouble(d)
	})
	if o.to != nil {
		o.to.feed(o.t, o.data)
	} else {
		o.do(o.t)
	}
}

// tellTrouble says what goes wrong, in its own goroutine.
func (t *Tap) tellTrouble(err error) {
	if t.trouble != nil {
		go t.trouble(err)
	}
}

// rest is how the observer waits between two looks at the queue. Each costs about as
// much as to forward a message, so it looks less often where messages come one by one.
type rest struct {
	period time.Duration
	empty  int // looks that found nothing, one after the other
}

// adapt chooses how long to wait by what the last look found.
func (r *rest) adapt(b *batch) {
	r.period = max(restShort, min(2*r.period, restLong))
	if b.size > restLittle {
		r.period = restShort
	}
	r.empty++
	if len(b.items) > 0 {
		r.empty = 0
	}
}

// rest waits until it is time to look at the queue again.
func (t *Tap) rest(r *rest) {
	if r.empty > restRounds && t.q.sleep() {
		select {
		case <-t.q.wake:
			r.period = 0
		case <-t.someWait():
		}
		return
	}
	select {
	case <-t.q.wake:
	case <-time.After(r.period):
	}
}

// someWait is when to look again at a write that has not returned; never where there is none:
// another one comes with bytes, which wake the observer.
func (t *Tap) someWait() <-chan time.Time {
	for _, s := range t.slow {
		if s.busy() {
			return time.After(stallAfter / 5)
		}
	}
	return nil
}

func (t *Tap) lookAtStalls(atEnd bool) {
	for _, s := range t.slow {
		s.look(t, atEnd)
	}
}

func (t *Tap) reportLoss(missing map[stream]int64, gone loss) {
	sum := gone.bytes
	for to, n := range missing {
		to.lost(t.now(), n)
		sum += n
	}
	if sum+gone.facts > 0 {
		t.fact(t.now(), wire.Frame{Kind: wire.KindGap}, wire.Gap{Frames: gone.facts, Bytes: sum, Why: "the recording could not keep up with the traffic"})
	}
}

// append records a frame. Only the observer calls it. Two pumps may hand over
// their copies in another order than they looked at the clock; in a recording
// time does not run backwards.
func (t *Tap) append(at int64, f wire.Frame) {
	t.frame = f
	t.lastT = max(t.lastT, at)
	t.frame.T = t.lastT
	t.frame.Len = len(f.Data)
	t.huge = t.huge || len(f.Data) > hugeFrame
	if len(f.Data) > hugeFrame/8 {
		t.q.heavy.Store(true)
		defer t.q.heavy.Store(false)
	}
	defer func() { t.frame.Data = nil }()
	defer defect.Recover("the masking of secrets", 0, func(d *defect.Defect) {
		gap := wire.Gap{Frames: 1, Bytes: int64(len(f.Data)), Why: d.Error()}
		t.frame = wire.Frame{Kind: wire.KindGap, T: t.lastT, Conn: f.Conn}
		t.frame.Data, _ = json.Marshal(gap)
		t.frame.Len = len(t.frame.Data)
		t.rec.Append(&t.frame)
		t.tellTrouble(d)
	})
	t.rec.Append(&t.frame)
}

// fact records a frame whose payload is a JSON object. Only the observer calls
// it.
func (t *Tap) fact(at int64, f wire.Frame, payload any) {
	f.Data, _ = json.Marshal(payload) // plain structs of strings and numbers
	t.append(at, f)
}

// tell has the observer record a fact, behind everything forwarded so far.
func (t *Tap) tell(f wire.Frame, payload any) {
	t.q.do(t.now(), func(at int64) { t.fact(at, f, payload) })
}

// newExchange numbers an exchange. Only the observer calls it.
func (t *Tap) newExchange() *exchange {
	t.lastX++
	if n := len(t.spare); n > 0 {
		x := t.spare[n-1]
		t.spare = t.spare[:n-1]
		x.request.data.Drop()
		x.response.data.Drop()
		*x = exchange{x: t.lastX}
		return x
	}
	return &exchange{x: t.lastX}
}
