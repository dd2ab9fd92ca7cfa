package reload

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"midwire/session/wire"
)

// fromClient takes what the client says. A process that is not there is started for a
// request, once, and not at once behind one that failed.
func (k *Keeper) fromClient(p piece) {
	switch {
	case k.is == down && (!p.whole || k.torn):
		k.torn = !p.whole
		return
	case p.whole && k.talk.isStale(p.data):
		k.opt.Say(wire.EditReloadDropped, "a response to a request of the process before", "not forwarded")
		return
	}
	k.up = append(k.up, p)
	if k.is != down {
		return
	}
	wait := time.Until(k.until)
	switch asks := k.talk.asks(p.data); {
	case asks && wait > mostWait:
		k.fail(fmt.Sprintf("the server failed, and midwire starts it again in %d s or when a watched file changes", int(wait.Seconds())+1))
	case asks && wait > 0:
		k.timer.Reset(wait)
	case asks:
		k.start("a request came")
	case len(k.up) > mostHeld:
		k.up = k.up[1:]
		k.opt.Say(wire.EditReloadDropped, "a notification, while there is no server", "not forwarded")
	}
}

// written is when the process has taken the first of what is for it.
func (k *Keeper) written() {
	if k.hello != nil {
		k.hello = nil
		return
	}
	k.talk.sent(k.up[0])
	k.up = k.up[1:]
	if k.is == leaving && len(k.up) == 0 {
		k.closeInput()
	}
}

// fromServer takes what the process says, or that it says no more.
func (k *Keeper) fromServer(p piece, more bool) {
	c := k.child
	k.spoke.Store(true)
	switch {
	case !more && c.over:
		k.gather()
		return
	case !more: // it has closed its output, and lives
		c.out = nil
		return
	case c.over:
		k.quiet = time.After(silence)
	}
	unfinished := !p.whole && len(p.data) < largestLine
	if unfinished && k.is != leaving && !k.final.Load() && k.talk.served {
		k.opt.Say(wire.EditReloadDropped, fmt.Sprintf("%d bytes of a line that the server did not finish", len(p.data)), "not forwarded")
		return
	}
	result, isHello := k.talk.said(p)
	switch {
	case k.is == greeting && isHello && result == nil:
		k.fault = "it answered initialize with an error"
		c.Kill()
	case k.is == greeting && isHello:
		k.greeted(result)
	default:
		k.mid = !p.whole
		k.down = append(k.down, own{piece: p})
	}
}

// greeted is when the new process has answered initialize. Its answer is not forwarded.
func (k *Keeper) greeted(result []byte) {
	k.timer.Stop()
	if was, now := differences(k.talk.response, result); was != now {
		k.opt.Say(wire.EditReloadResponse, was, now)
	}
	done := "initialize repeated"
	if k.talk.initialized != nil {
		k.up = append([]piece{{k.talk.initialized, true}}, k.up...)
		done = "initialize and initialized repeated"
	}
	if lists := k.talk.lists(); len(lists) > 0 {
		for _, list := range lists {
			k.tell(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, list), nil)
		}
		done += ", " + strings.Join(lists, " and ") + " sent"
	}
	k.serve(done)
}

// serve lets lines pass again.
func (k *Keeper) serve(done string) {
	k.is = serving
	k.opt.Say(wire.EditReload, fmt.Sprintf("process %d runs", k.child.Pid), done)
	if again := k.again; again != "" {
		k.again = ""
		k.restart(again)
	}
}

// tell puts a line of our own behind what the client is to get.
func (k *Keeper) tell(line, id []byte) {
	if k.mid {
		k.mid, line = false, append([]byte{'\n'}, line...)
	}
	k.down = append(k.down, own{piece{append(line, '\n'), true}, func() { k.opt.Own(id) }})
}

// fail answers every request that no process will answer, those that wait included.
func (k *Keeper) fail(why string) {
	for _, p := range k.up {
		k.talk.sent(p)
	}
	k.up = nil
	for _, id := range k.talk.pending {
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, id, quoted("midwire: "+why))
		k.tell(line, id)
	}
	k.talk.pending = nil
	for _, id := range k.talk.forget() {
		k.tell(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%s}}`,
			id, quoted("midwire: "+why)), nil)
	}
}

// restart asks the process to end, for another one to follow.
func (k *Keeper) restart(why string) {
	switch {
	case k.final.Load():
		k.leaveFor()
	case why == "":
	case k.is == serving:
		k.opt.Say(wire.EditReload, fmt.Sprintf("process %d runs", k.child.Pid), "asked to end: "+why)
		k.why, k.asked, k.is = why, false, stopping
		k.timer.Reset(graceAtEnd)
		k.child.Note()
		k.closeInput()
	case k.is == down:
		k.start(why)
	case k.is == greeting:
		k.again = why
	}
}

// start starts the next process.
func (k *Keeper) start(why string) {
	k.timer.Stop()
	p, err := k.opt.Start()
	if err != nil {
		k.opt.Say(wire.EditReloadFailed, why, err.Error())
		k.failed("the server cannot be started again: "+err.Error(), 0)
		return
	}
	k.mu.Lock()
	k.child = watchOver(p)
	k.mu.Unlock()
	k.started.Store(time.Now().UnixNano())
	k.fault = ""
	switch t := &k.talk; {
	case t.initialize == nil:
		k.serve("started: " + why + "; no handshake in this session")
	case t.response == nil: // the client waits for it
		k.up = append([]piece{{t.initialize, true}}, k.up...)
		k.serve("started: " + why)
	default:
		k.is, k.hello = greeting, t.initialize
		k.timer.Reset(graceAtStart)
	}
}

// gather is when the process has ended and everything it said was taken.
func (k *Keeper) gather() {
	c := k.child
	k.timer.Stop()
	k.quiet, k.hello = nil, nil
	k.closeInput()
	close(c.left)
	k.mu.Lock()
	k.child = nil
	k.mu.Unlock()
	k.how = c.how
	if k.is == leaving || k.final.Load() || k.is == serving && !k.talk.served {
		k.is = over
		return
	}
	if n := c.Sweep(); n > 0 { // what they hold, like a port, the next process needs
		k.opt.Say(wire.EditReload, fmt.Sprintf("process %d has left processes that it started: %d", c.Pid, n), "killed")
	}
	switch how := c.how.String(); {
	case k.is == stopping:
		k.opt.Say(wire.EditReload, fmt.Sprintf("process %d", c.Pid), "ended: "+how)
		held := k.up
		k.up = nil
		k.fail("the server was restarted (" + k.why + "). Send the request again")
		k.up = held
		k.start(k.why)
	case k.is == greeting:
		fault := cmp.Or(k.fault, "it ended before it answered initialize: "+how)
		k.opt.Say(wire.EditReloadFailed, "initialize", fault)
		k.failed("the restarted server cannot be used: "+fault, time.Since(c.since))
	default:
		k.opt.Say(wire.EditReloadEnded, fmt.Sprintf("process %d", c.Pid), how)
		k.failed("the server ended ("+how+"). midwire starts it again at the next request", time.Since(c.since))
	}
}

// failed is when there is no process, and none is to be started at once.
func (k *Keeper) failed(why string, lived time.Duration) {
	if lived > mostPause {
		k.pause = leastPause
	}
	k.is, k.until = down, time.Now().Add(k.pause)
	k.pause = min(2*k.pause, mostPause)
	k.fail(why)
}

// onTimer is when something took longer than it may, or a pause is over.
func (k *Keeper) onTimer() {
	switch {
	case k.is == down:
		k.start("a request came")
	case k.is == greeting:
		k.fault = "it did not answer initialize in " + graceAtStart.String()
		k.child.Kill()
	case k.is != stopping:
	case !k.asked && k.child.Signal(terminate) == nil:
		k.asked = true
		k.opt.Say(wire.EditReload, "its input is closed and it still runs", "sent SIGTERM")
		k.timer.Reset(graceAtEnd)
	default:
		k.opt.Say(wire.EditReload, "it still runs", "killed, with the processes that it started")
		k.child.Kill()
	}
}

// leave lets the process end as its client does: its input is closed, and it is waited for.
func (k *Keeper) leave() {
	k.leaveFor()
	if k.is == serving || k.is == leaving {
		k.is = leaving
		if len(k.up) == 0 {
			k.closeInput()
		}
	}
}

// leaveFor lets no other process follow. One that is about to end or that has not begun
// to serve ends.
func (k *Keeper) leaveFor() {
	switch k.is {
	case down:
		k.is = over
	case stopping, greeting:
		k.is, k.up, k.hello = leaving, nil, nil
		k.timer.Stop()
		k.closeInput()
	}
}

// closeInput closes the input of the process.
func (k *Keeper) closeInput() {
	if c := k.child; c.in != nil {
		close(c.in)
		c.in = nil
	}
}
