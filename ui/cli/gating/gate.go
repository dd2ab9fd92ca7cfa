// Package gating is what the command line knows of the gate: the command that
// controls one, and the flags that arm one.
package gating

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/replay"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/ui/gating"
)

// Env is what the command and the flags need of midwire.
type Env struct {
	In, Out, Err *os.File
	Home         string                 // MIDWIRE_HOME, "" when it is not set
	Folder       func() (string, error) // of recordings
	Usage        func(error) error      // makes an error one that the user fixes by calling otherwise
	Found        error                  // what a command returns that found something
	// Recorder makes what creates recordings as the flags say.
	Recorder func() (func(record.Header) *record.Writer, error)
	// Script reads a recording to play it.
	Script func(ref string, use func(*replay.Script) error) error
}

func (e *Env) usagef(format string, a ...any) error { return e.Usage(fmt.Errorf(format, a...)) }

// Command is midwire gate.
func (e *Env) Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "gate [REC] ACTION [ARG…]",
		Short: "Hold, change and drop messages of a proxy that runs, or break something in it",
		Long: `Acts on the messages of a proxy that runs, while they are on their way. REC names its
recording; without it the latest is meant that is being written.

  midwire gate status               what is armed and held
  midwire gate hold FILTER          hold what matches, as long as this command runs
  midwire gate fault LINE…          break something: lines like those of --fault
  midwire gate release [ID]         let it go on; without ID all of them
  midwire gate show ID              print a held message
  midwire gate edit ID [JSON]       change it, from standard input without JSON; it stays held
  midwire gate drop ID              it goes no further
  midwire gate answer ID JSON       answer it in the place of the server
  midwire gate duplicate ID         let it go on twice
  midwire gate inject SESSION JSON  send a message of your own to the client, or with
                                    --to-server to the server; SESSION may be -
  midwire gate disarm               nothing is held or broken any longer

The proxy must have been started with --gate, or have a screen of its own. What is held
has a price: the peer's own timer runs.`,
		Example: "  midwire http --gate http://localhost:3000/mcp\n  midwire gate hold 'tool:search dir:c2s'\n  midwire gate fault 'tool:search #2 => delay 3s'",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), o, args) },
	}
	c.Flags().BoolVar(&o.asReceived, "as-received", false, "release: forget what was edited")
	c.Flags().BoolVar(&o.release, "release", false, "edit: and let it go on")
	c.Flags().BoolVar(&o.toServer, "to-server", false, "inject: send it to the server")
	c.Flags().BoolVar(&o.json, "json", false, "status: as JSON")
	c.Flags().Uint64Var(&o.seed, "seed", 0, "fault: what a probability draws from")
	return c
}

// options are what the flags of gate say.
type options struct {
	asReceived, release, toServer, json bool
	seed                                uint64
}

// actions say how many arguments each action has at least and at most.
var actions = map[string][2]int{
	"status": {0, 0}, "hold": {0, 99}, "fault": {1, 99}, "release": {0, 1}, "show": {1, 1}, "edit": {1, 2},
	"drop": {1, 1}, "answer": {2, 2}, "duplicate": {1, 1}, "inject": {2, 2}, "disarm": {0, 0},
}

func (e *Env) run(ctx context.Context, o options, args []string) error {
	ref := ""
	if _, ok := actions[args[0]]; !ok {
		ref, args = args[0], args[1:]
	}
	if len(args) == 0 || actions[args[0]] == [2]int{} && args[0] != "status" && args[0] != "disarm" {
		return e.usagef("gate: which action? There are status, hold, fault, release, show, edit, drop, answer, duplicate, inject and disarm")
	}
	action, args := args[0], args[1:]
	if n := actions[action]; len(args) < n[0] || len(args) > n[1] {
		return e.usagef("gate %s takes %d to %d arguments, not %d. midwire gate --help shows which", action, n[0], n[1], len(args))
	}
	order, bad := e.order(o, action, args)
	if bad != nil {
		return bad
	}
	g, err := e.reach(ref)
	if err != nil {
		return err
	}
	return g.act(ctx, o, action, args, order)
}

// order is what an action asks of a gate; it says what is wrong with the arguments.
func (e *Env) order(o options, action string, args []string) (order gating.Order, err error) {
	order = gating.Order{Do: action, AsReceived: o.asReceived, ToServer: o.toServer}
	if len(args) > 1 {
		order.Body = args[1]
	}
	switch action {
	case "hold":
		order.Do, order.Body = "arm", strings.Join(args, " ")+" => hold"
		_, err = e.rules([]string{order.Body})
	case "fault":
		order.Do, order.Body = "arm", strings.Join(args, "\n")
		_, err = e.rules(args)
	case "inject":
		if args[0] != "-" {
			order.Session = args[0]
		}
	default:
		if len(args) == 0 {
			break
		}
		if order.ID, err = strconv.Atoi(args[0]); err != nil || order.ID < 1 {
			return order, e.usagef("gate %s: what is held has a number, as midwire gate status shows, not %q", action, args[0])
		}
	}
	return order, err
}

// reach finds the control socket of a recording that is being written.
func (e *Env) reach(ref string) (*client, error) {
	dir, err := e.Folder()
	if err != nil {
		return nil, err
	}
	all, err := record.List(dir)
	if err != nil {
		return nil, err
	}
	if ref != "" && ref != "last" {
		path, err := record.Resolve(dir, ref)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(r record.Entry) bool { return r.Path != path })
	}
	var deaf []string
	for _, r := range all {
		switch {
		case !r.Live:
			continue
		case r.Header.Control == "":
			deaf = append(deaf, r.ID)
			continue
		}
		c, base, err := gate.Reach(r.Header.Control)
		return &client{Env: e, http: c, base: base, id: r.ID}, err
	}
	const how = "midwire --gate -- COMMAND and midwire http --gate URL start one that can be controlled, " +
		"midwire wrap --gate puts one into a configuration"
	switch {
	case len(deaf) > 0:
		return nil, fmt.Errorf("%s was started without --gate: nothing controls it. %s", deaf[0], how)
	case ref != "" && ref != "last":
		return nil, fmt.Errorf("the proxy of %s does not run any more", ref)
	}
	return nil, errors.New("no proxy runs here. " + how)
}

// client controls one gate.
type client struct {
	*Env
	http *http.Client
	base string
	id   string // of the recording
}

// call asks the gate and returns what it says.
func (g *client) call(ctx context.Context, method, path string, q url.Values, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, g.base+path+"?"+q.Encode(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := g.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("gate of %s: %w", g.id, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode == http.StatusOK {
		return text, err
	}
	var bad struct{ Error string }
	if json.Unmarshal(text, &bad) != nil || bad.Error == "" {
		bad.Error = resp.Status
	}
	return nil, errors.New(bad.Error)
}

func (g *client) act(ctx context.Context, o options, action string, args []string, order gating.Order) error {
	q := url.Values{}
	if o.seed != 0 {
		q.Set("seed", strconv.FormatUint(o.seed, 10))
	}
	switch {
	case action == "status":
		return g.status(ctx, o)
	case action == "hold":
		return g.hold(ctx, order)
	case action == "show":
		return g.show(ctx, order.ID)
	case action == "release" && order.ID == 0:
		order.Do = "release-all"
	case action == "edit" && (len(args) == 1 || order.Body == "-"):
		text, err := io.ReadAll(g.In)
		if err != nil {
			return err
		}
		order.Body = string(bytes.TrimRight(text, "\n"))
	}
	err := g.do(ctx, order, q)
	if err == nil && action == "edit" && o.release {
		err = g.do(ctx, gating.Order{Do: "release", ID: order.ID}, q)
	}
	return err
}

// do has the gate carry out an order. q are what a request says beside it.
func (g *client) do(ctx context.Context, o gating.Order, q url.Values) error {
	method, path := http.MethodPost, "/"+o.Do
	switch o.Do {
	case "arm":
		method = http.MethodPut
	case "disarm":
		method, path = http.MethodDelete, "/arm"
	}
	if o.Session != "" {
		q.Set("session", o.Session)
	}
	if o.ID != 0 {
		q.Set("id", strconv.Itoa(o.ID))
	}
	if o.ToServer {
		q.Set("to", "server")
	}
	for name, on := range map[string]bool{"as-received": o.AsReceived, "head": o.Head} {
		if on {
			q.Set(name, "")
		}
	}
	_, err := g.call(ctx, method, path, q, o.Body)
	return err
}

func (g *client) status(ctx context.Context, o options) error {
	text, err := g.call(ctx, http.MethodGet, "/state", nil, "")
	if err != nil {
		return err
	}
	if o.json {
		_, err = g.Out.Write(text)
		return err
	}
	var s gate.Snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	fmt.Fprintf(g.Out, "gate of %s (%s): %d armed, %d held\n", safe.Clean(g.id), s.Tap, len(s.Armed), len(s.Held))
	for _, r := range s.Armed {
		fmt.Fprintf(g.Out, "armed  %s  (%d matched, %d done)\n", safe.Clean(r.Rule), r.Seen, r.Fired)
	}
	for i := range s.Held {
		fmt.Fprintln(g.Out, heldLine(&s.Held[i]))
	}
	c := s.Counts
	_, err = fmt.Fprintf(g.Out, "so far %d held, %d released, %d edited, %d dropped, %d answered, %d injected, %d other\n",
		c.Held, c.Released, c.Edited, c.Dropped, c.Answered, c.Injected, c.Other)
	return err
}

// held is a held message, whole.
func (g *client) held(ctx context.Context, id int, q url.Values) (h gate.Held, err error) {
	text, err := g.call(ctx, http.MethodGet, "/held/"+strconv.Itoa(id), q, "")
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	return h, err
}

func (g *client) show(ctx context.Context, id int) error {
	h, err := g.held(ctx, id, nil)
	if err != nil {
		return err
	}
	fmt.Fprintln(g.Out, heldLine(&h))
	if h.Head != "" {
		for line := range strings.Lines(h.Head) {
			fmt.Fprintln(g.Out, safe.Clean(strings.TrimRight(line, "\r\n")))
		}
	}
	_, err = fmt.Fprintln(g.Out, safe.Clean(h.Payload))
	return err
}

// heldLine is a held message in a line.
func heldLine(h *gate.Held) string {
	var what strings.Builder
	what.WriteString(strings.TrimSpace(h.Kind + " " + h.Method + " " + h.Tool))
	for _, more := range [][2]string{{" id ", h.MessID}, {" of ", h.Client}, {" in session ", h.Session}} {
		if more[1] != "" {
			what.WriteString(more[0] + more[1])
		}
	}
	arrow := "to the server"
	if h.Dir == "<" {
		arrow = "to the client"
	}
	age := (time.Duration(h.AgeMS) * time.Millisecond).Round(100 * time.Millisecond)
	return string(safe.Clean(fmt.Sprintf("held %d  #%d  %s  %s  %d B  for %s", h.ID, h.Frame, arrow, what.String(), h.Bytes, age)))
}

// hold holds what matches until it is interrupted, and says what is held.
func (g *client) hold(ctx context.Context, order gating.Order) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	c, err := g.attach(ctx)
	if err != nil {
		return fmt.Errorf("gate of %s: %w", g.id, err)
	}
	defer c.Close()
	if err := c.Do(order); err != nil {
		return err
	}
	filter := safe.Clean(strings.TrimSuffix(order.Body, " => hold"))
	fmt.Fprintf(g.Out, "holding what matches, until this ends: %s\n", filter)
	for seen := map[int]bool{}; ; {
		s, err := c.Next()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		g.tellHeld(seen, s.Held)
	}
}

// tellHeld prints what is held now and was not, and the other way round.
func (g *client) tellHeld(seen map[int]bool, now []gate.Held) {
	here := map[int]bool{}
	for i := range now {
		if h := &now[i]; !seen[h.ID] && h.Frame > 0 {
			fmt.Fprintln(g.Out, heldLine(h))
			seen[h.ID] = true
		}
		here[now[i].ID] = true
	}
	for id := range seen {
		if !here[id] {
			fmt.Fprintf(g.Out, "gone %d\n", id)
			delete(seen, id)
		}
	}
}
