package intercept

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"midwire/intercept/gate"
)

// Limits of the queue between the pumps and the observer.
const (
	queueLimit = 8 << 20               // bytes waiting to be observed; a pump waits when there are more
	queueStall = time.Second           // a pump waits for an observer that stands still, then continues unrecorded
	queueSlow  = 10 * time.Second      // how long it waits for one that is slow
	queueHurry = 512 << 10             // bytes that wake a resting observer early
	restShort  = 5 * time.Millisecond  // how long a busy observer rests between two looks
	restLong   = 40 * time.Millisecond // the same while little comes
	restLittle = 64 << 10              // bytes in one look
	restRounds = 4                     // looks at an empty queue before the observer sleeps for good
	queueStuck = 10 * time.Second      // without a look at what waits, the observer is taken to be stuck
	queueFacts = 1 << 14               // items waiting from which on facts are lost as well
	firstBlock = 8 << 10               // most taps carry little: they need no more than two small blocks
	blockSize  = 256 << 10
	maxSpare   = queueLimit/blockSize + 8 // empty blocks kept for reuse
)

// observed is something the observer has to look at: bytes of a stream, or
// something to do in its goroutine.
type observed struct {
	to   stream
	t    int64
	data []byte
	do   func(t int64)
}

// stream receives the copies of what a pump forwards, in the observer's
// goroutine. The bytes are valid during the call only.
type stream interface {
	feed(t int64, p []byte)
	// lost says that bytes were forwarded here that feed will never see.
	lost(t int64, n int64)
}

// queue hands copies from the pumps to the one observer, in the order in which
// they arrived at the tap.
//
// A pump never waits for the disk or for the parser unless 8 MiB are already
// waiting, and then for an observer that gets on, ten seconds at most, but for
// one that stands still a second: from there on it forwards without recording
// until half of the queue is free, and the loss is counted.
//
// Waking a goroutine costs a pump more than copying a message does. So a busy
// observer is not woken at all: it polls, the less often the less comes, and only
// after it has found nothing several times does it wait to be woken.
type queue struct {
	mu      sync.Mutex // guards all below
	items   []observed
	blocks  [][]byte // what items point into; the last one is being filled
	spare   [][]byte // empty blocks for reuse
	grown   int      // size of the block made last, at most blockSize
	size    int      // bytes in items
	taken   int      // bytes the observer is busy with
	asleep  bool     // the observer waits for wake
	skip    bool     // a pump gave up waiting; nothing is recorded until there is room
	missing map[stream]int64
	gone    loss          // what is missing of streams that have ended, and of facts
	space   chan struct{} // closed when there is room again; nil when no one waits
	looked  bool          // the observer has looked, and nothing has come since
	since   int64         // when the first item came after that
	said    bool          // behind was called
	doubted bool          // whether the observer is stuck is being looked at
	over    bool          // the end of all was put

	steps atomic.Int64 // things the observer is done with
	heavy atomic.Bool  // it is busy with a frame that takes long

	wake chan struct{}
	// behind is called once, in its own goroutine, when the observer
	// seems stuck, or when something is lost for the first time.
	behind func(error)
}

// loss is what was forwarded and is not recorded.
type loss struct{ facts, bytes int64 }

var (
	errStuck  = errors.New("the recording has stood still for ten seconds: its disk does not respond. Traffic is still forwarded; the recording will miss what does not fit in memory")
	errBehind = errors.New("the recording does not keep up with the traffic. Traffic is still forwarded; the recording notes what is missing")
)

func newQueue(behind func(error)) *queue {
	return &queue{wake: make(chan struct{}, 1), missing: map[stream]int64{}, behind: behind, looked: true}
}

// doubt looks a little later whether the observer is still where it was: all
// of us may have been suspended.
func (q *queue) doubt(was int64) {
	q.doubted = true
	time.AfterFunc(queueStall, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.doubted = false
		if !q.looked && q.since == was {
			q.say(errStuck)
		}
	})
}

// say tells once what is wrong.
func (q *queue) say(err error) {
	if !q.said && q.behind != nil {
		go q.behind(err)
	}
	q.said = true
}

// offer copies p for the observer, unless the pump's bytes are the gate's: then it
// returns who takes them.
func (q *queue) offer(of *pump, t int64, p []byte) *gate.Conn {
	q.mu.Lock()
	if of.gated != nil {
		defer q.mu.Unlock()
		return of.gated
	}
	of.plain = of.moves.Load()
	q.push(of.to, t, p)
	return nil
}

// gateOf is who takes the bytes of a pump, nil for no one.
func (q *queue) gateOf(p *pump) *gate.Conn {
	q.mu.Lock()
	defer q.mu.Unlock()
	return p.gated
}

// put copies p for the observer. It returns before p is observed.
func (q *queue) put(to stream, t int64, p []byte) {
	q.mu.Lock()
	q.push(to, t, p)
}

// push is called with the lock held and returns without it.
func (q *queue) push(to stream, t int64, p []byte) {
	if q.size+q.taken >= queueLimit && !q.room() {
		q.missing[to] += int64(len(p))
		q.mu.Unlock()
		return
	}
	for len(p) > 0 {
		last := len(q.blocks) - 1
		if last < 0 || len(q.blocks[last]) == cap(q.blocks[last]) {
			q.blocks = append(q.blocks, q.block())
			last++
		}
		b := q.blocks[last]
		n := min(len(p), cap(b)-len(b))
		q.blocks[last] = append(b, p[:n]...)
		q.items = append(q.items, observed{to: to, t: t, data: q.blocks[last][len(b) : len(b)+n]})
		q.size += n
		p = p[n:]
	}
	q.noticed(t)
	q.mu.Unlock()
}

func (q *queue) block() []byte {
	if n := len(q.spare); n > 0 {
		b := q.spare[n-1]
		q.spare = q.spare[:n-1]
		return b
	}
	q.grown = min(max(2*q.grown, firstBlock), blockSize)
	return make([]byte, 0, q.grown)
}

// do runs f in the observer's goroutine, behind everything put before. With
// ended it is the last thing to be said of these streams. While bytes are lost
// facts are as well, from a number on that a disk that hangs would reach; but
// nil, the end of all, is always taken.
func (q *queue) do(t int64, f func(t int64), ended ...stream) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f != nil && q.skip && len(q.items) >= queueFacts {
		q.gone.facts++
		for _, to := range ended {
			q.gone.bytes += q.missing[to]
			delete(q.missing, to)
		}
		return
	}
	q.over = q.over || f == nil
	q.items = append(q.items, observed{t: t, do: f})
	q.noticed(t)
}

// noticed wakes an observer that sleeps, or that should not rest any longer,
// and says it when the observer does not look at all. t is the time of the item.
func (q *queue) noticed(t int64) {
	if q.looked {
		q.looked, q.since = false, t
	} else if !q.said && !q.doubted && t-q.since > int64(queueStuck) {
		q.doubt(q.since)
	}
	if q.asleep || q.size > queueHurry {
		q.asleep = false
		q.hurry()
	}
}

// hurry ends the observer's rest or sleep.
func (q *queue) hurry() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// room waits until the queue has room. It is called with the lock held and
// returns with the lock held; false when it waited for too long.
func (q *queue) room() bool {
	if q.skip {
		return false
	}
	timer := time.NewTimer(queueStall)
	defer timer.Stop()
	began, steps := time.Now(), q.steps.Load()
	for q.size+q.taken >= queueLimit {
		if q.space == nil {
			q.space = make(chan struct{})
		}
		space := q.space
		q.mu.Unlock()
		select {
		case <-space:
			q.mu.Lock()
		case <-timer.C:
			q.mu.Lock()
			if now := q.steps.Load(); (now != steps || q.heavy.Load()) && time.Since(began) < queueSlow {
				steps = now
				timer.Reset(queueStall)
				continue
			}
			q.skip = true
			q.say(errBehind)
			return false
		}
	}
	return true
}

// batch is what the observer took out of the queue in one go.
type batch struct {
	items   []observed
	blocks  [][]byte
	size    int
	missing map[stream]int64 // bytes lost behind these items
	gone    loss
}

// take replaces the batch by everything that waits. The memory of the old one
// is used again: the observer must be done with it.
func (q *queue) take(b *batch) {
	clear(b.items)
	if cap(b.items) > 1<<16 {
		b.items = nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.looked = true
	for _, block := range b.blocks {
		if len(q.spare) < maxSpare && 2*cap(block) >= q.grown {
			q.spare = append(q.spare, block[:0])
		}
	}
	b.items, q.items = q.items, b.items[:0]
	clear(b.blocks)
	b.blocks, q.blocks = q.blocks, b.blocks[:0]
	b.size, b.missing, b.gone = q.size, nil, loss{}
	q.taken, q.size = q.size, 0
	if q.skip && (b.size < queueLimit/2 || q.over) {
		b.missing, q.missing, q.skip = q.missing, map[stream]int64{}, false
		b.gone, q.gone = q.gone, loss{}
	}
	if q.space != nil {
		close(q.space)
		q.space = nil
	}
}

// drop forgets the batch's memory instead of using it again.
func (b *batch) drop() { *b = batch{size: b.size} }

// sleep marks the observer as asleep, unless something waits for it.
func (q *queue) sleep() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asleep = len(q.items) == 0
	return q.asleep
}
