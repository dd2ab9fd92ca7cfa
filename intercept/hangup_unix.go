//go:build unix

package intercept

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// UntilHungUp is a context that ends when ctx does or when the terminal is gone.
// SIGHUP says so, but where that was ignored when we were started, nothing does:
// a screen would stay for ever without anyone to see it.
func UntilHungUp(ctx context.Context, terminal *os.File) context.Context {
	if !signal.Ignored(syscall.SIGHUP) {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	fd := int32(terminal.Fd())
	go func() {
		defer cancel()
		const second = 1000 // ms; a hang-up ends the wait at once
		for ctx.Err() == nil {
			p := []unix.PollFd{{Fd: fd}}
			n, err := unix.Poll(p, second)
			if err != nil && err != unix.EINTR || n > 0 && p[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0 {
				return
			}
		}
	}()
	return ctx
}
