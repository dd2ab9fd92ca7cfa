package describe

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words"
)

// touches are the words for what a gate did, the most telling first.
var touches = []struct {
	what session.Touch
	word string
}{
	{session.TouchEdited, "edited"},
	{session.TouchAnswered, "answered by the gate"},
	{session.TouchMade, "made by the gate"},
	{session.TouchDropped, "dropped"},
	{session.TouchCut, "cut"},
	{session.TouchKilled, "killed"},
	{session.TouchDuplicated, "duplicated"},
	{session.TouchDelayed, "delayed"},
	{session.TouchHeld, "held"},
}

// Touch is the word for what a gate did to a row that tells most, "" for nothing.
func Touch(done session.Touch) string {
	for _, t := range touches {
		if done&t.what != 0 {
			return t.word
		}
	}
	return ""
}

// Gate says what the gate of a tap did to the messages of a row: "held 4.2 s, then
// released edited by hand: -12 +14 bytes". "" when it did nothing.
func Gate(t *session.Tracker, row *session.Row) string {
	all := t.Deeds(row)
	if all == nil {
		return ""
	}
	var parts []string
	dir := row.Dir
	for _, d := range []wire.Dir{dir, dir.Opposite()} {
		var of []session.Deed
		for _, x := range all {
			if x.Dir == d {
				of = append(of, x)
			}
		}
		part := story(of)
		if part != "" && d != dir {
			part = "response " + part
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}

// story is what was done to one message, in the order in which it was done.
func story(all []session.Deed) string {
	var said []string
	edit, held, asReceived := "", false, false
	for i := range all {
		x := &all[i]
		say := func(verb, more string) {
			verb = words.Join(verb, doer(x, held))
			if held {
				verb = "then " + verb
			}
			if more != "" {
				verb += ": " + more
			}
			said = append(said, verb)
		}
		switch x.What {
		case wire.GateHold:
			said, held = append(said, "held"+waited(all[i+1:])), true
		case wire.GateDelay:
			said = append(said, words.Join("delayed "+ms(x.MS), doer(x, false)))
		case wire.GateEdit:
			if edit, asReceived = bytesChanged(x), x.Why != ""; asReceived {
				edit = ""
			}
			if !held {
				say("edited", edit)
				edit = ""
			}
		case wire.GateRelease:
			if !held {
				continue // its delay is over
			}
			verb := "released"
			switch {
			case edit != "":
				verb += " edited"
			case asReceived:
				verb += " as it was received"
			}
			if x.Why != "" {
				said = append(said, "then "+verb+": "+x.Why)
				continue
			}
			say(verb, edit)
		case wire.GateDrop:
			say("dropped", "")
		case wire.GateGone:
			said = append(said, "then its connection ended")
		case wire.GateAnswer:
			say("answered", words.Join(effect(x), x.Why))
		case wire.GateDuplicate:
			said = append(said, words.Join("sent "+words.Count(x.Count+1, "time"), doer(x, held)))
		case wire.GateInject:
			made := "made by the gate"
			if x.Why != "" {
				made = x.Why + " made by the gate"
			}
			said = append(said, words.Join(made+",", doer(x, false)))
		case wire.GateCut:
			say("its response cut", effect(x))
		case wire.GateKill:
			say("its server killed", "")
		}
	}
	return strings.Join(said, ", ")
}

// waited is how long a held message waited, by what ended that; "" while it waits.
func waited(after []session.Deed) string {
	for i := range after {
		switch after[i].What {
		case wire.GateRelease, wire.GateDrop, wire.GateAnswer, wire.GateGone:
			return " " + ms(after[i].MS)
		}
	}
	return ""
}

// doer says who did something: what a rule did, it did, unless it held the message for
// someone.
func doer(x *session.Deed, held bool) string {
	switch {
	case x.Who == "" || held:
		return "by hand"
	case strings.HasPrefix(x.Who, "fault "):
		return "by " + x.Who
	}
	return "by the rule " + x.Who
}

// effect is what was done in particular, where the rule does not say it.
func effect(x *session.Deed) string {
	if strings.HasSuffix(x.Who, x.How) {
		return ""
	}
	return x.How
}

// ms is a time as a person would write it.
func ms(n int64) string {
	d := time.Duration(n) * time.Millisecond
	switch {
	case d < time.Second:
		return strconv.FormatInt(n, 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return d.Round(time.Second).String()
}

func bytesChanged(x *session.Deed) string {
	if x.Less == 0 && x.More == 0 {
		return "the head"
	}
	return "-" + strconv.Itoa(x.Less) + " +" + strconv.Itoa(x.More) + " bytes"
}

// gateWords says what a gate frame says.
func gateWords(data []byte) string {
	if i := bytes.Index(data, []byte(`,"now":`)); i > 0 { // the last member, and it may be long
		data = append(data[:i:i], '}')
	}
	var e wire.Gate
	if json.Unmarshal(data, &e) != nil {
		return words.Excerpt(data, 120)
	}
	x := session.Deed{Who: e.Rule, How: e.How, Less: e.Less, More: e.More}
	if e.Fault != "" {
		x.Who = "fault " + e.Fault
	}
	of := ""
	if e.Frame != 0 {
		of = "#" + strconv.FormatUint(e.Frame, 10)
	}
	after, by := "", doer(&x, false)
	if e.MS > 0 {
		after = "after " + ms(e.MS) + ","
	}
	switch e.What {
	case wire.GateArm, wire.GateDisarm:
		return strings.Join(e.Rules, "; ")
	case wire.GateHold:
		return words.Join(of, "until a decision, "+by)
	case wire.GateDelay:
		return words.Join(of, "for "+ms(e.MS)+", "+by)
	case wire.GateRelease:
		if e.Why != "" {
			by = e.Why
		}
		return words.Join(words.Join(of, after), by)
	case wire.GateEdit:
		if e.Why != "" {
			return words.Join(words.Join(of, by+":"), e.Why)
		}
		return words.Join(of, by+": "+bytesChanged(&x))
	case wire.GateInject:
		if e.Made == 0 {
			return words.Join(words.Join(of, "is the gate's own,"), by)
		}
		return words.Join("what follows is the gate's own,", by)
	case wire.GateDuplicate:
		return words.Join(of, words.Count(e.Count, "time")+" more, "+by)
	case wire.GateGone:
		return words.Join(of, after+" its connection ended")
	case wire.GatePass:
		return words.Join(of, e.Why)
	}
	said := words.Join(words.Join(of, after), by)
	if more := words.Join(effect(&x), e.Why); more != "" {
		said += ": " + more
	}
	return said
}
