package intercept

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"midwire/intercept/spawn"
)

// leave ends this process by the signal that asked it to end, when it has not ended by then:
// it may wait for a terminal, a pipe or a disk that does not answer. It counts turns and no
// time, so that a busy machine has more of it.
func leave(sig os.Signal) {
	const turns = 32 // 1.6 s
	for range turns {
		time.Sleep(5 * look)
	}
	DieOf(sig)
	os.Exit(1)
}

// UntilAsked is a context that ends when ctx does or when this process is asked
// to end: by an interrupt, SIGTERM or SIGHUP. A process that stays is ended within two
// seconds, and at once when it is asked again. What was ignored when it was
// started, as SIGHUP under nohup, stays ignored.
func UntilAsked(ctx context.Context) (context.Context, context.CancelFunc) {
	var signals []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	if len(signals) == 0 { // without any, all would be meant
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	stop := sync.OnceFunc(func() { signal.Stop(got); cancel() })
	go func() {
		select {
		case sig := <-got:
			stop()
			leave(sig)
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// forwardSignals passes on every signal that reached us and not the process: one
// sent to our process group, as a terminal does, has reached it. got is called with
// each, and with whether the whole group has it; asked behind one that asks to end.
func forwardSignals(
	signals chan os.Signal, to interface{ Signal(sig os.Signal) error }, over <-chan struct{},
	got func(sig os.Signal, group bool), asked func(sig os.Signal),
) {
	usual, rare := spawn.Forwarded()
	signal.Notify(signals, usual...)
	// No one waits until all of them have their old meaning.
	defer func() { go signal.Stop(signals) }()
	group := &groupWatch{} // until it watches, only what keys send is known to be the group's
	defer func() { group.end() }()
	started := time.NewTimer(startTime)
	defer started.Stop()
	for {
		select {
		case <-started.C:
			if len(rare) > 0 {
				signal.Notify(signals, rare...)
			}
			group = watchGroup(append(usual, rare...))
		case sig := <-signals:
			if !ignored(sig) {
				all := group.got(sig)
				got(sig, all)
				if !all {
					_ = to.Signal(sig)
				}
			}
			if asksToEnd(sig) {
				asked(sig)
			}
		case <-over:
			return
		}
	}
}

// ending is the end of a process beside which another runs that may take its time. Once
// that has ended and we were asked to end, nothing keeps us.
type ending struct {
	mu   sync.Mutex
	sig  os.Signal // by which we were asked, nil as long as we were not
	over bool      // the other has ended
}

// ask is called with each signal that asks us to end.
func (e *ending) ask(sig os.Signal) { e.set(func() { e.sig = sig }) }

// otherEnded is called when the other has ended.
func (e *ending) otherEnded() { e.set(func() { e.over = true }) }

func (e *ending) set(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.over && e.sig != nil
	if change(); e.over && e.sig != nil && !before {
		go leave(e.sig)
	}
}

// asked reports whether we were asked to end.
func (e *ending) asked() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sig != nil
}
