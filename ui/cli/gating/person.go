package gating

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/term"

	"midwire/replay/checks"
	"midwire/replay/resilience/trial"
	"midwire/session/safe"
	"midwire/session/words"
)

// person is somebody who uses a client and types what was to be seen.
type person struct {
	*Env
	typed   chan string // lines, closed at the end of input
	piped   bool        // by a program: a line is for the visit that follows the one before it
	timeout time.Duration
}

func (e *Env) newPerson(timeout time.Duration) *person {
	p := &person{Env: e, typed: make(chan string), piped: !term.IsTerminal(int(e.In.Fd())), timeout: timeout}
	go func() { // it ends with the input, or with midwire
		defer close(p.typed)
		for in := bufio.NewScanner(e.In); in.Scan(); {
			p.typed <- in.Text()
		}
	}()
	return p
}

// say prints lines; what fills them comes from outside.
func (p *person) say(format string, a ...any) {
	for i := range a {
		if text, ok := a[i].(string); ok {
			a[i] = safe.Whole(text)
		}
	}
	fmt.Fprintf(p.Err, format+"\n", a...)
}

// see has the person use the client, and asks what was to be seen.
func (p *person) see(ctx context.Context, v trial.Visit) (checks.Outcome, error) {
	const keys = "  return: all was well · t: it told me of a failure · h: it hangs · s: skip this one · q: stop here"
	if v.Nth == 0 {
		if v.URL != "" {
			p.say("The server is at %s", v.URL)
		} else {
			p.say("The server is this command: %s", v.Command)
		}
		p.say("It stays there. %s has it as \"mcpServers\".\n\n[0/%d] First without a fault: connect the client, "+
			"call a tool three times, disconnect or quit it.\n  return: done · q: stop here", v.Config, v.Of)
	} else {
		p.say("\n[%d/%d] %s: %s\nDo the same again, from connecting on.\n%s", v.Nth, v.Of, v.Fault.Name, v.Fault.Help, keys)
	}
	if !p.piped {
		select {
		case <-p.typed: // typed ahead, which is no answer
		default:
		}
	}
	over := time.After(p.timeout)
	open := !p.piped // for what is typed
	for {
		typed := p.typed
		if !open {
			typed = nil
		}
		select {
		case <-ctx.Done():
			return 0, trial.ErrStop
		case <-over:
			open = true // a program that pipes lines in does not see that nobody comes
		case n := <-v.News:
			p.news(n)
			open = open || n.Gone
		case line, more := <-typed:
			if !more {
				return 0, errors.New("--wait reads what you saw from standard input, and that has ended")
			}
			if a, known := answers[words.Fold(strings.TrimSpace(line))]; known {
				return a.saw, a.err
			}
			p.say("%s", keys)
		}
	}
}

var answers = map[string]struct {
	saw checks.Outcome
	err error
}{
	"": {}, "t": {saw: checks.Told}, "h": {saw: checks.Hung}, "s": {err: trial.ErrSkip}, "q": {err: trial.ErrStop},
}

// news says that the client came or went.
func (p *person) news(n trial.News) {
	client, did := n.Client, "is connected"
	if client == "" {
		client = "a client"
	}
	if n.Gone {
		did = "is gone. What was to be seen?"
	}
	p.say("  %s %s", client, did)
}
