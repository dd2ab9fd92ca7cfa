package diagnose

import (
	"slices"

	"midwire/session"
)

// vain looks for a method whose requests all failed, after which nothing was served. One alone
// may be what the session was to see.
func (a *account) vain() *Failure {
	lost := a.checker.losses(a.session)
	book := a.checker.book.Of(a.session.Index)
	if len(lost.whole) < 2 || book == nil || a.retried() {
		return nil
	}
	if t := book.Tally(lost.whole[0].Method); t == nil || t.Served > 0 {
		return nil
	}
	return failed(NothingServed, lost.whole...)
}

// accountFor makes warnings of the notes that together know why each of several calls of tools failed.
func (c *Checker) accountFor(f *Failure, s *session.Session) {
	var notes []*Finding
	for _, one := range f.Asked {
		if one.End != session.ToolError {
			return
		}
		i := slices.IndexFunc(c.list, func(k *Finding) bool {
			return k.Severity <= Note && k.Known() && !k.Harmless && k.Session == s.Index &&
				k.cites([]uint64{uint64(one.Row.Request)})
		})
		if i < 0 {
			return
		}
		notes = append(notes, c.list[i])
	}
	for _, one := range notes {
		one.Severity = min(one.Severity, Warning)
	}
}
