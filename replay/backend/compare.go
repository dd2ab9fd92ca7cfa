package backend

import (
	"midwire/replay"
	"midwire/ui"
)

// toScreen is a comparison as the screen has it.
func toScreen(c *replay.Comparison) *ui.Comparison {
	out := &ui.Comparison{
		First: c.First, Second: c.Second, FirstName: c.FirstName, SecondName: c.SecondName,
		Problems: c.Problems, Remarks: c.Remarks, Handles: c.Handles, Took: c.Took,
	}
	for i := range c.Calls {
		o := &c.Calls[i]
		one := ui.ComparedCall{
			Frame: o.Frame, Other: o.Other, Session: o.Session, Method: o.Method, Target: o.Target,
			Verdict: ui.CallVerdict(o.Verdict), Slower: o.Slower, Note: o.Note,
			Was: o.Was, Now: o.Now, Schema: o.Schema,
		}
		for _, ch := range o.Changes {
			one.Changes = append(one.Changes, ui.CallChange{Path: ch.Path, Kind: ch.Kind, Was: ch.Was, Now: ch.Now})
		}
		out.Calls = append(out.Calls, one)
	}
	return out
}

// fromScreen is the other way round.
func fromScreen(c *ui.Comparison) *replay.Comparison {
	out := &replay.Comparison{
		First: c.First, Second: c.Second, FirstName: c.FirstName, SecondName: c.SecondName,
		Problems: c.Problems, Remarks: c.Remarks, Handles: c.Handles, Took: c.Took,
	}
	for i := range c.Calls {
		o := &c.Calls[i]
		one := replay.Outcome{
			Frame: o.Frame, Other: o.Other, Session: o.Session, Method: o.Method, Target: o.Target,
			Verdict: replay.Verdict(o.Verdict), Slower: o.Slower, Note: o.Note,
			Was: o.Was, Now: o.Now, Schema: o.Schema,
		}
		for _, ch := range o.Changes {
			one.Changes = append(one.Changes, replay.Change{Path: ch.Path, Kind: ch.Kind, Was: ch.Was, Now: ch.Now})
		}
		out.Calls = append(out.Calls, one)
	}
	return out
}
