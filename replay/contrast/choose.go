package contrast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
	"midwire/session/record"
)

// Session is a session of the library, as its summary has it.
type Session struct {
	Recording string    `json:"recording"`
	Session   int       `json:"session"` // from 1
	Began     time.Time `json:"began"`
	Client    string    `json:"client,omitempty"` // name and version
	Server    string    `json:"server,omitempty"`
	Verdict   string    `json:"verdict"`

	alone  bool // in its recording
	tries  bool // of a probe or a replay: likewise
	copied bool // from another host: it is compared with only when it is named
	path   string
	target string // URL or command line of the server
	sum    *summary.Session
}

// Path is the file of the recording.
func (s *Session) Path() string { return s.path }

func (s *Session) outcome() diagnose.Outcome { return s.sum.Result.Outcome }

func (s *Session) failed() bool {
	return s.outcome() == diagnose.Failed || s.outcome() == diagnose.Impaired
}

type likeness uint8

const (
	strangers likeness = iota
	sameClient
	sameServer
	samePeers
)

// String ends "sessions of".
func (l likeness) String() string {
	return [...]string{"others", "the same client", "the same server", "the same client and server"}[l]
}

func (s *Session) likenessTo(o *Session) (l likeness) {
	if name := s.sum.Client.Name; name != "" && name == o.sum.Client.Name {
		l |= sameClient
	}
	if name := s.sum.Server.Name; name != "" && name == o.sum.Server.Name || s.target != "" && s.target == o.target {
		l |= sameServer
	}
	return l
}

// shelf is the library, oldest session first.
type shelf []Session

// read takes in the sessions of every recording of a folder that has ended and can be
// read. Summaries that are missing are made, and kept.
func read(ctx context.Context, dir string, seen func(done, all int)) (all shelf, err error) {
	entries, err := record.List(dir)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		if e.Live || e.Err != nil {
			continue
		}
		if seen != nil {
			seen(i, len(entries))
		}
		sum, err := summary.Get(ctx, e.Path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil { // one that cannot be read is nothing to compare with
			all.add(&e.Header, e.Path, e.ID, sum)
		}
	}
	slices.SortStableFunc(all, func(a, b Session) int { return a.Began.Compare(b.Began) })
	return all, nil
}

func (l *shelf) add(h *record.Header, path, id string, sum *summary.Recording) {
	for i := range sum.Sessions {
		one := &sum.Sessions[i]
		*l = append(*l, Session{
			Recording: id, Session: one.Index + 1, Began: h.Started.Add(time.Duration(one.Started)),
			Client: said(one.Client), Server: said(one.Server), Verdict: one.Result.Short,
			alone: len(sum.Sessions) == 1, tries: sum.Tries, copied: record.HostOf(id) != "",
			path: path, target: targetOf(h), sum: one,
		})
	}
}

func said(p summary.Peer) string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + " " + p.Version
}

// targetOf is what the server was, "" where that is not known.
func targetOf(h *record.Header) string {
	if h.Tap != "http" {
		return strings.Join(h.Command, " ")
	}
	u, err := url.Parse(h.Target)
	if err == nil && net.ParseIP(u.Hostname()).IsLoopback() {
		u.Host = u.Hostname() // a port of this machine means little
		return u.String()
	}
	return h.Target
}

// find is a session of a recording, or of session 0 the first that failed.
func (l shelf) find(path string, session int) (*Session, error) {
	var best *Session
	found := false
	for i := range l {
		one := &l[i]
		if one.path != path {
			continue
		}
		if found = true; one.Session == session {
			return one, nil
		}
		worse := best == nil || one.outcome() == diagnose.Failed && best.outcome() != diagnose.Failed
		if session == 0 && one.failed() && worse {
			best = one
		}
	}
	switch {
	case best != nil:
		return best, nil
	case !found:
		return nil, errors.New("no session can be read in it")
	case session != 0:
		return nil, fmt.Errorf("it has no session %d; midwire ls lists them", session)
	}
	return nil, errors.New("no session of it failed; midwire diff A B compares any two")
}

// good are sessions to compare with, the one that began nearest first, and what they
// have in common with it: at most so many.
func (l shelf) good(bad *Session, most int) (all []*Session, common likeness) {
	for _, outcome := range [...]diagnose.Outcome{diagnose.Served, diagnose.Impaired} {
		for i := range l {
			one := &l[i]
			likeness := one.likenessTo(bad)
			if one == bad || one.copied || one.tries || one.outcome() != outcome ||
				likeness == strangers || likeness < common ||
				one.sum.Probe || one.sum.Result.Rule != "" && one.sum.Result.Rule == bad.sum.Result.Rule ||
				outcome == diagnose.Impaired && one.sum.Result.Short == bad.sum.Result.Short {
				continue
			}
			if likeness > common {
				all, common = nil, likeness
			}
			all = append(all, one)
		}
		if len(all) > 0 && common >= sameServer {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b *Session) int {
		return cmp.Compare(a.Began.Sub(bad.Began).Abs(), b.Began.Sub(bad.Began).Abs())
	})
	return all[:min(len(all), most)], common
}

// Since says when sessions of the same client and server began to fail as one did.
type Since struct {
	Worked *Session `json:"worked"`          // the last that did before
	Failed *Session `json:"failed"`          // the first that did not
	Count  int      `json:"count"`           // that failed from then on
	Again  *Session `json:"again,omitempty"` // the first that worked after all of them
}

// Knows reports whether the newest recordings of a folder have a session that works of the
// same client and server as one of these that does not. It asks summaries that are kept, and
// makes none.
func Knows(dir string, of []*session.Session, verdicts []diagnose.Verdict) bool {
	const most = 200
	ids, err := record.Names(dir)
	if err != nil {
		return false
	}
	var bad, all shelf
	for i, v := range verdicts {
		bad = append(bad, Session{sum: &summary.Session{
			Client: summary.Peer(of[i].Client), Server: summary.Peer(of[i].Server), Result: v,
		}})
	}
	for _, id := range ids[:min(len(ids), most)] {
		if sum, kept := summary.Read(record.File(dir, id)); kept {
			all.add(&record.Header{}, record.File(dir, id), id, sum)
		}
	}
	for i := range bad {
		if bad[i].failed() {
			if _, common := all.good(&bad[i], 1); common == samePeers {
				return true
			}
		}
	}
	return false
}

// searchBack goes back through the library; nil where no session of the same two worked
// before.
func (l shelf) searchBack(bad *Session) *Since {
	var s Since
	for i := range l {
		one := &l[i]
		if one != bad && (one.copied || one.tries || one.likenessTo(bad) != samePeers) || one.sum.Probe {
			continue
		}
		late := !one.Began.Before(bad.Began)
		switch works := one.outcome() == diagnose.Served; {
		case works && !late:
			s = Since{Worked: one}
		case works && s.Again == nil:
			s.Again = one
		case !works && one.failed() && s.Again == nil:
			if s.Failed == nil {
				s.Failed = one
			}
			s.Count++
		}
	}
	if s.Worked == nil || s.Failed == nil {
		return nil
	}
	return &s
}

// addFile takes in a recording that lies elsewhere.
func (l *shelf) addFile(ctx context.Context, path string) error {
	if path == "" || slices.ContainsFunc(*l, func(s Session) bool { return s.path == path }) {
		return nil
	}
	r, err := record.Open(path)
	if err != nil {
		return err
	}
	h := r.Header()
	r.Close()
	sum, err := summary.Make(ctx, path)
	if err == nil {
		l.add(&h, path, cmp.Or(h.ID, path), sum)
	}
	return err
}

// sameFailures are other sessions of the same two that failed by the same cause, at most so many
// as are worth reading.
func (l shelf) sameFailures(bad *Session) (all []*Session) {
	const most = 4
	for i := range l {
		one := &l[i]
		r := one.sum.Result
		if one != bad && !one.copied && !one.tries && len(all) < most && (r.Rule != "" || r.Outcome == diagnose.Failed) &&
			r.Rule == bad.sum.Result.Rule && r.Outcome == bad.outcome() && one.likenessTo(bad) == samePeers {
			all = append(all, one)
		}
	}
	return all
}
