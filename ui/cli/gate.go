package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/safe"
)

func (a *app) gate() *cobra.Command {
	var o gate.Order
	var asJSON bool
	c := &cobra.Command{
		Use:   "gate [REC] ACTION [ARG…]",
		Short: "Hold, edit, drop or inject messages in a running proxy",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.runGate(cmd.Context(), o, asJSON, args) },
	}
	c.Flags().BoolVar(&o.AsReceived, "as-received", false, "release: forget what was edited")
	c.Flags().BoolVar(&o.Release, "release", false, "edit: and let it go on")
	c.Flags().BoolVar(&o.ToServer, "to-server", false, "inject: send it to the server")
	c.Flags().BoolVar(&asJSON, "json", false, "status: as JSON")
	return c
}

// gateActions say how many arguments each action has at least and at most.
var gateActions = map[string][2]int{
	"status": {0, 0}, "hold": {0, 99}, "fault": {1, 99}, "release": {0, 1}, "show": {1, 1}, "edit": {1, 2},
	"drop": {1, 1}, "answer": {2, 2}, "inject": {2, 2}, "disarm": {0, 0}, "restart": {0, 0},
}

func (a *app) runGate(ctx context.Context, o gate.Order, asJSON bool, args []string) error {
	ref := ""
	if _, ok := gateActions[args[0]]; !ok {
		ref, args = args[0], args[1:]
	}
	if len(args) == 0 {
		args = []string{""}
	}
	action, args := args[0], args[1:]
	n, known := gateActions[action]
	switch {
	case !known:
		return usagef("gate: which action? There are status, hold, fault, release, show, edit, drop, answer, inject, disarm and restart")
	case len(args) < n[0] || len(args) > n[1]:
		return usagef("gate %s takes %d to %d arguments, not %d. midwire gate --help shows which", action, n[0], n[1], len(args))
	}
	if err := gateOrder(&o, action, args); err != nil {
		return err
	}
	g, err := a.reach(ref)
	if err != nil {
		return err
	}
	switch action {
	case "status":
		return g.status(ctx, asJSON)
	case "hold":
		return g.hold(ctx, o)
	case "show":
		return g.show(ctx, o.ID)
	case "edit":
		if o.Body == "" || o.Body == "-" {
			text, err := io.ReadAll(g.In)
			if err != nil {
				return err
			}
			o.Body = string(bytes.TrimRight(text, "\n"))
		}
	}
	return g.wrong(g.gate.Do(ctx, o))
}

// gateOrder is what an action asks of a gate; it says what is wrong with the arguments.
func gateOrder(o *gate.Order, action string, args []string) (err error) {
	o.Do = action
	if len(args) > 1 {
		o.Body = args[1]
	}
	switch action {
	case "hold":
		args = []string{strings.Join(args, " ") + " => hold"}
		fallthrough
	case "fault":
		o.Do, o.Body = "arm", strings.Join(args, "\n")
		_, err = gateRules(args)
		return err
	case "inject":
		o.Session = strings.TrimPrefix(args[0], "-")
		return nil
	}
	switch {
	case len(args) > 0:
		if o.ID, err = strconv.Atoi(args[0]); err != nil || o.ID < 1 {
			return usagef("gate %s: what is held has a number, as midwire gate status shows, not %q", action, args[0])
		}
	case action == "release":
		o.Do = "release-all"
	}
	return nil
}

// reach finds the control socket of a recording that is being written.
func (a *app) reach(ref string) (*gateClient, error) {
	dir, err := a.folder()
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
		case !r.Live || !record.IsOwn(dir, r.Path):
			continue
		case r.Header.Control == "":
			deaf = append(deaf, r.ID)
			continue
		}
		c, err := gate.Reach(gate.Folder(dir), r.Header.Control)
		return &gateClient{a, c, r.ID}, err
	}
	const how = "midwire --gate -- COMMAND and midwire http --gate URL start one that can be controlled, " +
		"midwire wrap --gate puts one into a configuration"
	switch {
	case len(deaf) > 0:
		return nil, fmt.Errorf("%s was started without --gate: nothing controls it. %s", deaf[0], how)
	case ref != "" && ref != "last":
		return nil, fmt.Errorf("the proxy of %s does not run here any more", ref)
	}
	return nil, errors.New("no proxy runs here. " + how)
}

type gateClient struct {
	*app
	gate *gate.Client
	id   string // of the recording
}

func (g *gateClient) wrong(err error) error {
	if err != nil {
		return fmt.Errorf("gate of %s: %w", g.id, err)
	}
	return nil
}

func (g *gateClient) status(ctx context.Context, asJSON bool) error {
	s, err := g.gate.State(ctx)
	if err != nil {
		return g.wrong(err)
	}
	if asJSON {
		out := json.NewEncoder(g.Out)
		out.SetEscapeHTML(false)
		return out.Encode(s)
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

func (g *gateClient) show(ctx context.Context, id int) error {
	h, err := g.gate.Held(ctx, id)
	if err != nil {
		return g.wrong(err)
	}
	fmt.Fprintln(g.Out, heldLine(&h))
	for line := range strings.Lines(h.Head) {
		fmt.Fprintln(g.Out, safe.Clean(strings.TrimRight(line, "\r\n")))
	}
	_, err = fmt.Fprintln(g.Out, safe.Clean(h.Payload))
	return err
}

func heldLine(h *gate.Held) string {
	var what strings.Builder
	what.WriteString(strings.TrimSpace(h.Kind + " " + h.Method + " " + h.Tool))
	for _, more := range [][2]string{{" id ", h.MessID}, {" in session ", h.Session}} {
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
func (g *gateClient) hold(ctx context.Context, o gate.Order) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	c, err := g.gate.Attach(ctx)
	if err != nil {
		return g.wrong(err)
	}
	defer c.Close()
	if err := c.Do(o); err != nil {
		return err
	}
	filter := safe.Clean(strings.TrimSuffix(o.Body, " => hold"))
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
func (g *gateClient) tellHeld(seen map[int]bool, now []gate.Held) {
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

// control makes the socket of a gate, where somebody asked for one: its address is for
// the header of the recording, and serve runs until it is closed.
func (a *app) control(g *gate.Gate, asked bool, trouble func(error)) (s *gate.Socket, serve func()) {
	if !asked {
		return &gate.Socket{}, func() {}
	}
	dir, err := a.folder()
	if err != nil {
		trouble(fmt.Errorf("warning: control socket: %w. The proxy runs without a gate to control", err))
		return &gate.Socket{}, func() {}
	}
	s = gate.NewSocket(gate.Folder(dir))
	return s, func() {
		if err := s.Serve(g); err != nil {
			trouble(fmt.Errorf("warning: %w. The proxy runs without a gate to control", err))
		}
	}
}
