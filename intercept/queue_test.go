package intercept

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// sink keeps what the observer would have been given.
type sink struct {
	got   bytes.Buffer
	gone  int64
	order []string
}

func (s *sink) feed(_ int64, p []byte) { s.got.Write(p); s.order = append(s.order, "feed") }
func (s *sink) lost(_ int64, n int64)  { s.gone += n; s.order = append(s.order, "lost") }

func (s *sink) observe(q *queue, b *batch) {
	q.take(b)
	for _, o := range b.items {
		if o.do != nil {
			o.do(o.t)
			continue
		}
		o.to.feed(o.t, o.data)
	}
	for to, n := range b.missing {
		to.lost(0, n)
	}
}

func TestQueueKeepsBytesAndOrder(t *testing.T) {
	q := newQueue(nil)
	s := &sink{}
	var b batch
	var want bytes.Buffer
	for i := range 2000 {
		p := bytes.Repeat([]byte{byte(i)}, i%3000+1)
		want.Write(p)
		q.put(s, int64(i), p)
		clear(p) // the pump uses its buffer again at once
		if i%7 == 0 {
			s.observe(q, &b)
		}
	}
	ran := false
	q.do(0, func(int64) { ran = s.got.Len() == want.Len() })
	s.observe(q, &b)
	if !bytes.Equal(s.got.Bytes(), want.Bytes()) || !ran {
		t.Errorf("%d bytes of %d, done in order: %v", s.got.Len(), want.Len(), ran)
	}
}

// A pump waits for a slow observer for a second, then it goes on, and what was
// not observed is counted and told behind everything before it.
func TestQueueGivesUpAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(nil)
		s := &sink{}
		var b batch
		q.take(&b)
		big := make([]byte, queueLimit)
		q.put(s, 0, big)
		start := time.Now()
		q.put(s, 0, []byte("lost"))
		if d := time.Since(start); d != queueStall {
			t.Errorf("the pump waited %v", d)
		}
		start = time.Now()
		q.put(s, 0, []byte(" too"))
		if d := time.Since(start); d != 0 {
			t.Errorf("the second time it waited %v: a pump must not stall again and again", d)
		}
		s.observe(q, &b)
		s.observe(q, &b)
		q.put(s, 0, []byte("kept"))
		s.observe(q, &b)
		if got := fmt.Sprint(s.order[len(s.order)-2:]); s.gone != 8 || got != "[lost feed]" || !bytes.HasSuffix(s.got.Bytes(), []byte("kept")) {
			t.Errorf("%d bytes lost, order %s", s.gone, got)
		}
	})
}

// A pump waits longer for an observer that is slow and gets on, though not for
// ever.
func TestQueueWaitsForASlowObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(nil)
		s := &sink{}
		var b batch
		q.put(s, 0, make([]byte, queueLimit))
		over := make(chan struct{})
		go func() { // the observer of a disk that is slow
			q.take(&b)
			for range 60 {
				time.Sleep(queueStall / 2)
				q.steps.Add(1)
			}
			close(over)
		}()
		synctest.Wait()
		start := time.Now()
		q.put(s, 0, []byte("later"))
		if d := time.Since(start); d < queueSlow || d > queueSlow+queueStall {
			t.Errorf("the pump waited %v", d)
		}
		<-over
	})
}

// A pump that waits goes on as soon as there is room, and nothing is lost.
func TestQueueBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(nil)
		s := &sink{}
		var b batch
		q.put(s, 0, make([]byte, queueLimit))
		go q.put(s, 0, []byte("later"))
		synctest.Wait()
		time.Sleep(queueStall / 2)
		s.observe(q, &b)
		s.observe(q, &b)
		synctest.Wait()
		s.observe(q, &b)
		if s.gone != 0 || s.got.Len() != queueLimit+5 {
			t.Errorf("%d bytes observed, %d lost", s.got.Len(), s.gone)
		}
	})
}

func BenchmarkQueue(b *testing.B) {
	q := newQueue(nil)
	s := &sink{}
	msg := make([]byte, 200)
	var bt batch
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q.put(s, 0, msg)
		if i%100 == 0 {
			q.take(&bt)
		}
	}
}
