package stages

import (
	"fmt"
	"strings"
	"time"

	"midwire/session/mcp"
	"midwire/session/wire"
)

func (t *tester) sessions(a *conn) error {
	b, err := t.begun(proper)
	if err != nil {
		return err
	}
	defer b.close()
	wrong := ""
	for i, c := range []*conn{a, b, a, b} {
		if r := c.alive(); r.Message.Kind != wire.MsgResult {
			wrong = fmt.Sprintf("the %s of two sessions gets %s", [...]string{"first", "second"}[i%2], said(&r))
		}
	}
	if wrong == "" && a.ID != "" && a.ID == b.ID {
		wrong = "both have the same session id"
	}
	t.must("two sessions in turns", wrong, "2025-11-25 basic/transports: Session Management")
	return nil
}

func (t *tester) limits(*conn) error {
	for _, one := range [...]struct {
		size string
		n    int
	}{{"64 KiB", 64 << 10}, {"1 MiB", 1 << 20}, {"10 MiB", 10 << 20}} {
		c, err := t.begun(odd)
		if err != nil {
			return err
		}
		c.patient = t.opt.Timeout
		method := mcp.Ping
		if t.now {
			method = mcp.Discover
		}
		r := c.ask(method, `"midwire/pad":"`+strings.Repeat("x", one.n)+`"`)
		wrong := unless(&r)
		if noResponse(&r) && c.Exited() {
			wrong = "the server ended"
		}
		if one.n < 1<<20 && noResponse(&r) {
			t.must(one.size, wrong, "")
		} else {
			t.should(one.size, wrong, "") // a limit is a server's own
		}
		c.close()
		if wrong != "" {
			break
		}
	}
	return nil
}

func (t *tester) idle(c *conn) error {
	select {
	case <-time.After(t.opt.Idle):
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
	r := c.alive()
	t.must("idle for "+t.opt.Idle.String(), unless(&r), specPing)
	return nil
}

// end is how a server on stdio ends when its input does. One that is still there
// afterwards is asked to by SIGTERM.
func (t *tester) end(*conn) error {
	if t.opt.URL != nil {
		return nil
	}
	const spec, name = "2025-11-25 basic/lifecycle: Shutdown", "stdin closed"
	c, err := t.begun(proper)
	if err != nil {
		return err
	}
	took, err := c.leave()
	switch {
	case err != nil:
		t.must(name, "still there after SIGTERM", spec)
	case took > stubborn:
		t.should(name, "still there 5 s after stdin closed; ends on SIGTERM", spec)
	default:
		t.fine(name, "ends %s after stdin closed", took.Round(time.Millisecond))
	}
	return nil
}

// stubborn is after how long a server that has not ended by itself has been asked to.
const stubborn = 5 * time.Second
