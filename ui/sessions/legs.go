package sessions

import (
	"strings"
)

// legs finds for rows of a hub's servers that the filter keeps the row of their
// client's session, among those that it keeps.
func (v *View) legs() map[*row]*row {
	type key struct{ flow, session string }
	var legs []*row
	for _, r := range v.kept {
		if r.rec.Side == "server" && r.rec.Flow != "" {
			legs = append(legs, r)
		}
	}
	if legs == nil {
		return nil
	}
	clients, all := map[key]*row{}, map[string][]*row{} // by session, by flow
	for _, s := range v.sources {
		if s.rec.Side != "client" {
			continue
		}
		for _, r := range s.rows {
			all[s.rec.Flow] = append(all[s.rec.Flow], r)
			clients[key{s.rec.Flow, r.id()}] = r
		}
	}
	kept := make(map[*row]bool, len(v.kept))
	for _, r := range v.kept {
		kept[r] = true
	}
	of := map[*row]*row{}
	for _, r := range legs {
		flow, session := r.rec.Flow, r.rec.ClientSession
		p := clients[key{flow, session}]
		if only := all[flow]; session == "" {
			p = nil
			if len(only) == 1 {
				p = only[0]
			}
		} else if p == nil && len(only) == 1 && only[0].id() == "" { // it was not read yet
			p = only[0]
		}
		if kept[p] {
			of[r] = p
		}
	}
	return of
}

// nested puts rows below those that they belong to, where these are among them.
func nested(rows []*row, of map[*row]*row) []*row {
	for _, r := range rows {
		r.nested = false
	}
	if len(of) == 0 {
		return rows
	}
	below := map[*row][]*row{}
	for _, r := range rows {
		below[r] = []*row{}
	}
	for _, r := range rows {
		if p := of[r]; below[p] != nil {
			if k := len(below[p]) - 1; k >= 0 {
				below[p][k].lastLeg = false
			}
			r.nested, r.lastLeg, below[p] = true, true, append(below[p], r)
		}
	}
	out := make([]*row, 0, len(rows))
	for _, r := range rows {
		if !r.nested {
			out = append(append(out, r), below[r]...)
		}
	}
	return out
}

// id is that of the session on the wire, "" for none.
func (r *row) id() string {
	if r.sum == nil {
		return ""
	}
	return r.sum.ID
}

// ids are those of the sessions of a hub's clients: rows stand elsewhere when one
// becomes known.
func (s *source) ids() string {
	if s.rec.Side != "client" {
		return ""
	}
	var all strings.Builder
	for _, r := range s.rows {
		all.WriteString(r.id() + "\n")
	}
	return all.String()
}
