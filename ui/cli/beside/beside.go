// Package beside runs a client in a terminal of its own beside the screen.
package beside

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/creack/pty"

	"midwire/intercept"
	"midwire/ui/split"
)

// Client is a client with its terminal.
type Client struct {
	*split.Terminal
	host, guest *os.File // the ends of the terminal: ours, and the client's
}

// Open makes a terminal for a client of that name. The error says that the system has
// none to give.
func Open(name string) (*Client, error) {
	host, guest, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("the system has no terminal for --split: %w", err)
	}
	resize := func(w, h int) {
		_ = pty.Setsize(host, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}) // it keeps the old one
	}
	return &Client{split.New(name, host, resize), host, guest}, nil
}

// Close takes the terminal away: a client that still runs is told that it hung up.
func (c *Client) Close() {
	c.guest.Close()
	c.host.Close()
}

// Run runs the client until it ends, or until some time after ctx does, when its
// terminal is taken away. The error says that it never ran.
func (c *Client) Run(ctx context.Context, command, env []string) (intercept.Exit, error) {
	defer context.AfterFunc(ctx, c.Close)()
	child := intercept.Child{
		Command: command, Env: append(env, "TERM=xterm-256color"),
		Files: []*os.File{c.guest, c.guest, c.guest}, Terminal: true, Gone: ctx.Done(),
	}
	exit, err := child.Run()
	c.End(how(exit, err))
	return exit, err
}

// how says how a client ended.
func how(exit intercept.Exit, err error) string {
	switch {
	case err != nil:
		return "not started: " + err.Error()
	case exit.Signal != nil:
		return "ended by " + exit.Signal.String()
	}
	return "ended, status " + strconv.Itoa(exit.Code)
}
