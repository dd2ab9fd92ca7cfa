package insight

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Budget says where the time of a session went, in nanoseconds. The parts add up to
// Total.
type Budget struct {
	Total  int64
	Client int64 // no request of the client was pending: it thinks, or the model does
	Server int64
	Person int64 // a question to a person was pending
	Gate   int64 // messages were held at the gate of midwire

	Slowest Spent // the tool that took longest in all
}

// Spent is what the calls of a tool took together.
type Spent struct {
	Tool  string
	Calls int
	Time  int64
}

// Part is a part of a budget that takes time.
type Part struct {
	Name string
	Time int64
}

// Parts are those that take time, in the order in which they are shown.
func (b *Budget) Parts() (all []Part) {
	for _, p := range [...]Part{{"client", b.Client}, {"server", b.Server}, {"person", b.Person}, {"gate", b.Gate}} {
		if p.Time > 0 {
			all = append(all, p)
		}
	}
	return all
}

// BudgetOf adds up a session. A call that has no response yet is pending until the last
// message of the session. tool is the tool that a row calls, "" for none.
func BudgetOf(t *session.Tracker, s *session.Session, tool func(row int) string) Budget {
	b := Budget{Total: max(s.Last-s.Started, 0)}
	var busy, asked, person union
	tools := map[string]*Spent{}
	for _, i := range s.Rows() {
		row := t.Row(int(i))
		if row.Kind != session.RowCall || mcp.StaysOpen(t.Name(row.Name)) {
			continue
		}
		end := row.End
		if end == 0 || end > s.Last {
			end = s.Last
		}
		busy.add(row.T, end)
		if row.Dir == wire.ToClient {
			asked.add(row.T, end)
			if t.Name(row.Name) == mcp.ElicitationCreate {
				person.add(row.T, end)
			}
			continue
		}
		b.Gate += t.Waited(row)
		if name := tool(int(i)); name != "" {
			if tools[name] == nil {
				tools[name] = &Spent{Tool: name}
			}
			tools[name].Calls++
			tools[name].Time += end - row.T
		}
	}
	b.Person = min(person.sum, b.Total)
	served := min(busy.sum, b.Total) - min(asked.sum, b.Total)
	b.Gate = min(b.Gate, max(served, 0))
	b.Server = max(served-b.Gate, 0)
	b.Client = max(b.Total-b.Server-b.Person-b.Gate, 0)
	for _, one := range tools {
		if one.Time > b.Slowest.Time || one.Time == b.Slowest.Time && one.Tool < b.Slowest.Tool {
			b.Slowest = *one
		}
	}
	return b
}

// union is how long at least one of some intervals lasts, which come in order of their
// beginnings.
type union struct{ sum, end int64 }

func (u *union) add(from, to int64) {
	if from = max(from, u.end); to > from {
		u.sum += to - from
		u.end = to
	}
}
