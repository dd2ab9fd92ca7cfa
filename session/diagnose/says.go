package diagnose

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words"
)

// Values are what a sentence in the page of a rule names, by name: texts, numbers, JSON.
// What Case.value knows need not be given.
type Values map[string]any

// Found reports a finding with the sentence of that name in the page of the rule in hand, ""
// for the only one. Findings with the same key are one that is counted; without frames the
// evidence is what the case is about.
func (c *Case) Found(name, key string, with Values, frames ...uint64) {
	c.ReportAs(key, Finding{Says: name, With: with, Frames: c.evidence(frames)})
}

// Blame is Found of something that the sender of the message in hand is responsible for.
func (c *Case) Blame(name, key string, with Values, frames ...uint64) {
	c.ReportAs(key, Finding{Says: name, With: with, Frames: c.evidence(frames), Side: c.Sender()})
}

// evidence are the frames of what the case is about, unless others are: a message with the
// request that it belongs to, or the heads of an HTTP exchange.
func (c *Case) evidence(frames []uint64) []uint64 {
	x := c.Exchange
	switch {
	case frames != nil:
		return frames
	case x != nil && (c.Kind != session.EventMessage || c.Refusal != nil):
		frames = []uint64{uint64(x.ResponseN), uint64(x.RequestN)}
		return slices.DeleteFunc(frames, func(n uint64) bool { return n == 0 })
	case c.Call != nil && c.Call.N != c.N:
		return []uint64{c.N, c.Call.N}
	case c.Parent != nil:
		return []uint64{c.N, c.Parent.N}
	}
	return []uint64{c.N}
}

// Sentence is the sentence of that name in the page of the rule in hand, filled with values. It
// panics, which reports a defect, where the page has none of that name or a value is missing.
func (c *Case) Sentence(name string, with Values) string {
	says, ok := c.asked.Rule.Says[name]
	text, missing := c.fill(says, with, false)
	if !ok || missing != "" {
		panic(fmt.Sprintf("rule %s: sentence %q: no value for %q", c.asked.Rule.ID, name, missing))
	}
	return strings.TrimSpace(text)
}

// fill puts values in the place of their names: {name}, or “{name}” for a text that is cut.
// What is in brackets is left out where a value in it is missing or empty.
func (c *Case) fill(says string, with Values, optional bool) (text, missing string) {
	var out strings.Builder
	for {
		before, rest, _ := strings.Cut(says, "{")
		if plain, _, ok := strings.Cut(before, "["); ok {
			out.WriteString(plain)
			var group string
			group, says, _ = strings.Cut(says[len(plain)+1:], "]")
			if part, lacks := c.fill(group, with, true); lacks == "" {
				out.WriteString(part)
			}
			continue
		}
		out.WriteString(before)
		if rest == "" {
			return out.String(), ""
		}
		var name string
		name, says, _ = strings.Cut(rest, "}")
		v, ok := with[name]
		if !ok {
			v = c.value(name)
		}
		if t, ok := v.(template); ok {
			v, _ = c.fill(string(t), with, false)
		}
		if v == nil || optional && reflect.ValueOf(v).IsZero() {
			return "", name
		}
		out.WriteString(show(v, strings.HasSuffix(before, "“") && strings.HasPrefix(says, "”")))
	}
}

// show writes a value; quoted, as what stands between quotes.
func show(v any, quoted bool) string {
	const most = 80
	json, isJSON := v.([]byte)
	s := fmt.Sprint(v)
	if isJSON {
		s = string(json)
	}
	switch said := wire.Said(json); {
	case isJSON && !quoted && len(s) > most:
		return words.Clip(s, most) + "…"
	case isJSON && quoted && said != "":
		s = said
	}
	if quoted {
		return strings.TrimSpace(words.Ellipsis(s, most))
	}
	return s
}

// template is a value that names others.
type template string

// value is what every sentence may name, nil for what the case in hand has not.
func (c *Case) value(name string) any {
	switch x := c.Exchange; name {
	case "n":
		return c.N
	case "client":
		return c.Client()
	case "server":
		return c.Server()
	case "sender":
		return c.Named(c.Sender())
	case "method":
		return c.Method()
	case "version":
		return c.ProtocolVersion()
	case "row": // the method of the row in hand
		if c.Row >= 0 {
			return c.Tracker().Name(c.Tracker().Row(int(c.Row)).Name)
		}
		return ""
	case "call", "target", "about":
		if c.Call != nil {
			return map[string]any{"call": c.Call.N, "target": c.Call.Target, "about": template("{method}[ “{target}”] (#{call})")}[name]
		}
	case "front", "behind":
		if c.Flow != nil {
			return map[string]string{"front": c.Flow.Outer.Name, "behind": c.Flow.Inner.Name}[name]
		}
	case "outer", "inner", "op", "pair":
		if p := c.Pair; p != nil {
			return map[string]any{
				"outer": p.Outer.N, "inner": p.Inner.N, "op": p.Outer.Name(),
				"pair": template("#{outer} of {front} is #{inner} of {behind}"),
			}[name]
		}
	case "request", "response", "post":
		if x != nil {
			return map[string]any{"request": x.RequestN, "response": x.ResponseN, "post": x.Verb + " " + x.Path}[name]
		}
	}
	return nil
}

// Sender is the side that sent the message in hand.
func (c *Case) Sender() Side {
	if c.Dir == wire.ToServer {
		return Client
	}
	return Server
}

// CheckSays reports what is wrong with the form of a sentence.
func CheckSays(says string) error {
	if strings.Count(says, "{") != strings.Count(says, "}") || strings.Count(says, "[") != strings.Count(says, "]") {
		return errors.New("{, }, [ and ] do not fit")
	}
	return nil
}

// Client names the client of the message in hand, to begin a sentence with:
// "Client claude-code 2.1", or "The client" as long as it did not say its name.
func (c *Case) Client() string { return c.Named(Client) }

// Server is Client for the server.
func (c *Case) Server() string { return c.Named(Server) }

// Named is Client or Server for either side.
func (c *Case) Named(s Side) string {
	var p session.Peer
	switch {
	case c.Session == nil:
	case s == Client:
		p = c.Session.Client
	case s == Server:
		p = c.Session.Server
	}
	name := cmp.Or(p.Name, p.Title)
	if name == "" {
		return "The " + s.String()
	}
	name = strings.TrimSpace(apart(name) + " " + apart(p.Version))
	return words.Capital(s.String()) + " " + name
}

// apart quotes what cannot be told from the words of a sentence.
func apart(s string) string {
	plain := strings.Trim(words.Fold(s), "abcdefghijklmnopqrstuvwxyz0123456789-_./@+") == ""
	if plain && !strings.HasSuffix(s, ".") {
		return s
	}
	return "“" + strings.Join(strings.Fields(s), " ") + "”"
}

// Part is a piece of a text of a finding.
type Part struct {
	Text    string
	Frame   uint64 // a frame of the finding, that Text is the number of; 0 for words
	Session bool   // Text is the id of the session, quoted
}

// quotedOrFrame is what is quoted, where no number is of a frame, or such a number.
var quotedOrFrame = words.Pattern(`"[^"]*"|“[^”]*”|#[0-9]+`)

// Parts parts a text of the finding at the numbers of its frames, written #12, and at
// the id of its session.
func (f *Finding) Parts(text, session string) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		from := 0
		for _, at := range quotedOrFrame().FindAllStringIndex(text, -1) {
			p := Part{Text: text[at[0]:at[1]]}
			if n, err := strconv.ParseUint(strings.TrimPrefix(p.Text, "#"), 10, 64); err == nil && f.knows(n) {
				p.Frame = n
			} else if p.Session = session != "" && p.Text == "“"+session+"”"; !p.Session {
				continue
			}
			if from < at[0] && !yield(Part{Text: text[from:at[0]]}) || !yield(p) {
				return
			}
			from = at[1]
		}
		if from < len(text) {
			yield(Part{Text: text[from:]})
		}
	}
}

// knows says whether a frame is one of the finding, so that its number is no other number.
func (f *Finding) knows(n uint64) bool {
	has := func(frames []uint64) bool { return slices.Contains(frames, n) }
	return slices.ContainsFunc([][]uint64{f.Frames, f.Beside, f.Shows, f.About, f.Served}, has)
}
