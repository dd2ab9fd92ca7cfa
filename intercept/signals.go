package intercept

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"midwire/intercept/spawn"
)

// UntilAsked is a context that ends when ctx does or when this process is asked
// to end: by an interrupt, SIGTERM or SIGHUP. What was ignored when it was
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
	return signal.NotifyContext(ctx, signals...)
}

// forwardSignals passes on every signal that reached us and not the process: one
// sent to our process group, as a terminal does, has reached it. got is called with
// each, and with whether the whole group has it; asked behind one that asks to end.
func forwardSignals(
	signals chan os.Signal, to interface{ Signal(sig os.Signal) error }, over <-chan struct{},
	got func(sig os.Signal, group bool), asked func(),
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
				asked()
			}
		case <-over:
			return
		}
	}
}
