package intercept

import (
	"sync"
	"time"
)

// Limits of the queue between the pumps and the observer.
const (
	queueLimit = 16 << 20         // bytes waiting to be observed; a pump waits when there are more
	queueStall = time.Second      // how long a pump waits before it goes on unrecorded
	queueHurry = 512 << 10        // bytes that wake a resting observer early
	restPeriod = time.Millisecond // how long a busy observer rests between two looks
	restRounds = 50               // looks at an empty queue before the observer sleeps for good
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
// A pump never waits for the disk or for the parser unless 16 MiB are already
// waiting, and then a second at most: from there on it forwards without
// recording until half of the queue is free, and the loss is counted.
//
// Waking a goroutine costs a pump more than copying a message does. So a busy
// observer is not woken at all: it looks by itself every millisecond, and only
// after it has found nothing fifty times does it wait to be woken.
type queue struct {
	mu      sync.Mutex // guards all below
	items   []observed
	blocks  [][]byte // what items point into; the last one is being filled
	spare   [][]byte // empty blocks for reuse
	size    int      // bytes in items
	taken   int      // bytes the observer is busy with
	asleep  bool     // the observer waits for wake
	skip    bool     // a pump gave up waiting; nothing is recorded until there is room
	missing map[stream]int64
	space   chan struct{} // closed when there is room again; nil when nobody waits

	wake chan struct{}
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), missing: map[stream]int64{}}
}

// put copies p for the observer. It returns before p is observed.
func (q *queue) put(to stream, t int64, p []byte) {
	q.mu.Lock()
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
	q.rouse()
	q.mu.Unlock()
}

func (q *queue) block() []byte {
	if n := len(q.spare); n > 0 {
		b := q.spare[n-1]
		q.spare = q.spare[:n-1]
		return b
	}
	return make([]byte, 0, blockSize)
}

// do runs f in the observer's goroutine, behind everything put before.
func (q *queue) do(t int64, f func(t int64)) {
	q.mu.Lock()
	q.items = append(q.items, observed{t: t, do: f})
	q.rouse()
	q.mu.Unlock()
}

// rouse wakes an observer that sleeps, or that should not rest any longer.
func (q *queue) rouse() {
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
			q.skip = true
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
	for _, block := range b.blocks {
		if len(q.spare) < maxSpare {
			q.spare = append(q.spare, block[:0])
		}
	}
	b.items, q.items = q.items, b.items[:0]
	clear(b.blocks)
	b.blocks, q.blocks = q.blocks, b.blocks[:0]
	b.size, b.missing = q.size, nil
	q.taken, q.size = q.size, 0
	if q.skip && b.size < queueLimit/2 {
		b.missing, q.missing, q.skip = q.missing, map[stream]int64{}, false
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
