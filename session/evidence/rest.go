package evidence

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// strays are responses that nobody waits for, and lines that are no message.
func (o *of) strays() {
	for i := range o.a.Strays[:min(len(o.a.Strays), 2)] {
		s := &o.a.Strays[i]
		l := on(Stray).put("a response that nobody waits for").at(s.N).put(", id " + cmp.Or(called(s.ID), "none"))
		if len(s.Waiting) > 0 {
			l.put("; waiting: " + Shorten(one(strings.Join(s.Waiting, ", ")), 120))
		}
		o.add(l.put(": ").quote(s.Text))
	}
	if o.a.Noises > 0 {
		l := on(Noise).put(words.Count(o.a.Noises, "line") + " where messages belong, no message:")
		for i := range o.a.Noise[:min(len(o.a.Noise), 2)] {
			if i > 0 {
				l.put(",")
			}
			l.at(o.a.Noise[i].N).put(" ").quote(o.a.Noise[i].Text)
		}
		o.add(l)
	}
	if o.a.Blank > 0 {
		o.add(on(Noise).put(words.Count(o.a.Blank, "empty line") + " on stdout"))
	}
}

// stderr is how much there is of it, and what sounds like trouble: the first and the last.
func (o *of) stderr() {
	s := &o.a.Stderr
	if o.a.Exit != nil && o.a.LastServed == nil && len(o.book.Command) > 0 {
		o.started()
	}
	if s.Lines == 0 {
		if o.a.Exit != nil && o.a.Exit.Failed == "" {
			o.add(on(Stderr).put("nothing"))
		}
		return
	}
	l := on(Stderr).put(words.Count(s.Lines, "line") + ", " + Bytes(s.Bytes))
	show := s.First
	switch {
	case len(show) == 0:
		show = s.Head
		l.put(":")
	case len(o.a.Bad) == 0 && o.a.LastServed != nil && (o.a.Exit == nil || o.a.Exit.Code == 0):
		l.put("; of note:") // it came to nothing
	default:
		l.put("; the first trouble:")
	}
	for i, line := range show {
		switch {
		case i == 1 && len(s.First) > 0: // the first has a line of its own: it is not cut for the others
			o.add(l)
			l = on(Stderr).put("and then")
		case i > 0:
			l.put(",")
		}
		if l.at(line.N).put(" ").quote(strings.TrimSpace(line.Text)); i == 0 && s.Again > 0 {
			l.put(" (" + strconv.Itoa(s.Again) + " more times)")
		}
	}
	o.add(l)
	if !slices.ContainsFunc(show, func(k operation.Line) bool { return k.Text == s.Last.Text }) && s.Last.Text != "" {
		o.add(on(Stderr).put("the last line").at(s.Last.N).put(": ").quote(strings.TrimSpace(s.Last.Text)))
	}
}

// started is the command of a process that ended before it served anything.
func (o *of) started() {
	argv := o.book.Command
	l := on(Started).put(called(argv[0]))
	if len(argv) > 1 {
		l.put(" with the arguments ").quote(strings.Join(argv[1:], " "))
	}
	if operation.IsLauncher(argv[0]) {
		l.put("; it is a wrapper: it fetches, builds or starts the server")
	}
	o.add(l)
}

// sizes are messages and silences out of proportion.
func (o *of) sizes() {
	for _, s := range o.a.Large {
		l := on(Sizes).put("one message has " + Bytes(s.Bytes)).at(s.N).put(", to " + o.who(s.Dir.Opposite()))
		if s.N == max(o.a.Client.N, o.a.Server.N) {
			l.put("; nothing was sent after it")
		} else if s.Dir == wire.ToClient && o.a.Client.N < s.N {
			l.put("; nothing was asked after it")
		}
		o.add(l)
	}
	if g := o.a.Silence; g.Took >= longSilent {
		o.add(on(Silence).put(Took(g.Took) + " without a byte, from").at(g.From).put(" to").at(g.To))
	}
	for _, b := range o.a.Bursts {
		l := on(Silence).put(words.Count(b.Events, "event") + " came all at once").at(b.N).
			put(", " + Took(b.After) + " after the request")
		if b.Length != "" {
			l.put(", and the stream has a Content-Length")
		}
		o.add(l)
	}
}

func (o *of) documents() {
	for _, p := range o.Documents[:min(len(o.Documents), 3)] {
		l := on(Login).put(p.WhatA + " ").quote(cmp.Or(p.ValueA, "none")).at(p.FrameA).
			put(" · " + p.WhatB + " ").quote(cmp.Or(p.ValueB, "none")).at(p.FrameB)
		o.add(l)
	}
}

// version is what was asked for and chosen, and what the client did with it.
func (o *of) version() {
	l := on(Version)
	asked, chosen := one(string(o.a.Asked)), one(string(o.a.Chosen))
	switch {
	case asked == "":
	case chosen == "":
		l.put(asked + " asked")
	case asked == chosen:
		l.put(asked + " as asked")
	default:
		l.put(asked + " asked, " + chosen + " chosen")
	}
	if in := o.a.Init; in != nil && in.Method == mcp.Initialize && o.a.Client.N <= in.N {
		sep(l)
		l.put("after it " + o.client + " sent nothing more").cite(in.N)
	}
	if slices.Contains(o.a.Declares, "tools") && o.a.Tally(mcp.ToolsList) == nil && o.a.Init != nil {
		sep(l)
		l.put(o.server + " declares tools, and " + o.client + " never sent " + mcp.ToolsList).cite(o.a.Init.Response)
	}
	if o.a.Tally(mcp.ToolsList) == nil && o.a.Init != nil && len(o.a.Declares) > 0 && !slices.Contains(o.a.Declares, "tools") {
		sep(l)
		l.put(o.server + " declares " + Shorten(one(strings.Join(o.a.Declares, ", ")), 80)).cite(o.a.Init.Response)
	}
	if never := o.a.Uncalled(); len(never) > 0 {
		sep(l)
		l.put(strconv.Itoa(len(never)) + " of " + words.Count(len(o.a.Tools), "tool") + " never called").cite(o.a.ToolsN)
		if len(never) <= 3 {
			l.put(" (" + Shorten(one(strings.Join(never, ", ")), 80) + ")")
		}
	}
	if s := o.a.Session; s != nil && s.IDSource == session.IDClient {
		sep(l)
		l.put("session id ").quote(s.ID).put(" is " + o.client + "'s own: " + o.server + " issued none, and it names no session")
	}
	o.add(l)
	for _, d := range o.Owed {
		o.add(on(Never).put(d.What + ", due after " + d.After).at(d.N))
	}
}

// counts is what was served of what was asked.
func (o *of) counts() {
	var parts []string
	longest, largest := &operation.Tally{}, &operation.Tally{}
	for _, t := range o.a.Tallies {
		if t.Longest > longest.Longest {
			longest = t
		}
		if t.Largest > largest.Largest {
			largest = t
		}
		name := called(t.Method)
		if t.Dir == wire.ToClient {
			name += " of " + o.server
		}
		switch {
		case t.Asked == t.Served && t.Asked == 1:
			parts = append(parts, name)
		case t.Asked == t.Served:
			parts = append(parts, strconv.Itoa(t.Asked)+" "+name)
		default:
			parts = append(parts, strconv.Itoa(t.Served)+" of "+strconv.Itoa(t.Asked)+" "+name)
		}
	}
	if len(parts) == 0 {
		return
	}
	l := on(InAll).put("served " + words.List(parts, 8))
	if largest.Largest > 0 {
		l.put(" · largest " + Bytes(largest.Largest) + ",").at(largest.LargestN)
	}
	if longest.Longest > 0 {
		l.put(" · longest " + Took(longest.Longest) + ",").at(longest.LongestN)
	}
	o.add(l)
}

// ended is how it ended, and what was last.
func (o *of) ended() {
	l := on(Ended)
	last := max(o.a.Client.T, o.a.Server.T)
	if p := &o.a.Closed; p.ByClient() {
		l.put(o.client + " closed stdin " + Took(max(p.StdinT-last, 0)) + " after the last message").at(p.Stdin)
	} else if p.Stdout != 0 {
		l.put(o.server + " closed stdout").at(p.Stdout)
	}
	if p := o.a.Closed; p.Signal != 0 {
		sep(l)
		l.put(o.client + " sent a signal").at(p.Signal)
	}
	if e := o.a.Exit; e != nil {
		if len(l.Parts) > 0 {
			l.put("; ")
		}
		switch {
		case e.Failed != "":
			l.put("the command could not be started: ").quote(e.Failed)
		case e.Signal != "":
			l.put(o.server + " was ended by " + one(e.Signal) + " after " + Took(e.Alive))
		default:
			l.put(o.server + " exited with " + strconv.FormatInt(e.Code, 10) + " after " + Took(e.Alive))
		}
		if l.at(e.N); o.a.Closed.Stdin == 0 && o.a.Closed.Signal == 0 && e.Failed == "" {
			l.put(", on its own: " + o.client + " had not closed stdin")
		}
	}
	if len(l.Parts) == 0 && o.a.Client.N != 0 {
		what := "a response"
		if o.a.Client.What != "" {
			what = called(o.a.Client.What)
		}
		l.put("the last of " + o.client + " is " + what).at(o.a.Client.N)
		if gap := o.book.Until() - last; gap > 1e9 {
			l.put(", " + Took(gap) + " before the end of the recording")
		}
	}
	o.add(l)
}
