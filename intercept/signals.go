package intercept

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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
