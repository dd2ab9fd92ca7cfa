package ask

import (
	"context"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/wire"
)

// Finding is a finding with what has to be known to act upon it.
type Finding struct {
	Rule         string          `json:"rule"`
	Title        string          `json:"title"`
	Severity     string          `json:"severity"`
	Known        bool            `json:"known"` // it knows the cause; else it says what was seen
	Responsible  string          `json:"responsible"`
	Message      string          `json:"message" least:"900"`
	Meaning      string          `json:"meaning"`
	Cause        string          `json:"cause,omitempty" least:"900"`
	Fix          string          `json:"fix,omitempty" least:"900"`
	UsualFix     string          `json:"usual_fix,omitempty"`          // of the rule, in midwire's own words, where Fix is another
	Remedies     []export.Remedy `json:"remedies,omitempty" least:"1"` // of Fix, by side
	Recording    string          `json:"recording"`
	Session      int             `json:"session"` // from 1; 0 when it is about none
	Frames       []uint64        `json:"frames"`  // the evidence, the most important one first
	Count        int             `json:"count"`
	Spec         string          `json:"specification,omitempty"`
	ByGate       bool            `json:"by_gate,omitempty"` // made on purpose with midwire's gate
	Consequences []Brief         `json:"consequences,omitempty" least:"3"`
	Quotes       []Quote         `json:"quotes,omitempty" least:"1"`
}

// Brief is a finding in a line.
type Brief struct {
	Rule        string   `json:"rule"`
	Severity    string   `json:"severity"`
	Responsible string   `json:"responsible"`
	Recording   string   `json:"recording"`
	Session     int      `json:"session"`
	Frames      []uint64 `json:"frames"`
	Count       int      `json:"count"`
	Message     string   `json:"message"` // its beginning
}

// Quote is the beginning of a frame.
type Quote struct {
	Frame uint64 `json:"frame"`
	Kind  string `json:"kind"`
	Dir   string `json:"direction,omitempty"` // "to server" or "to client"
	Bytes int    `json:"bytes"`               // of the frame
	Text  string `json:"text"`
	Cut   bool   `json:"cut,omitempty"` // there is more of it
}

// found are the findings of recordings, masked: their texts will be cut.
func (r *Recordings) found(checked ...export.Checked) []export.Found {
	all := export.Findings(checked...)
	for i := range all {
		all[i].Each(func(f *export.Found) {
			f.Rewrite(r.mask)
		})
	}
	return all
}

func (r *Recordings) finding(f *export.Found) *Finding {
	one := &Finding{
		Rule: f.Rule, Severity: f.Severity, Known: f.Known, Responsible: f.Responsible,
		Message: f.Message, Cause: f.Cause, Fix: f.Fix, Remedies: f.Remedies,
		Recording: f.Recording, Session: f.Session,
		Frames: f.Frames, Count: f.Count, Spec: f.Spec, ByGate: f.ByGate,
	}
	if rule := rules.Find(f.Rule); rule != nil {
		h := rule.Help()
		one.Title, one.Meaning = rule.Title, h.Means
		if fix := h.Fix(); f.Known && fix != one.Fix {
			one.UsualFix = fix
		}
	}
	f.Each(func(g *export.Found) {
		if g != f {
			one.Consequences = append(one.Consequences, r.brief(g))
		}
	})
	return one
}

func (r *Recordings) brief(f *export.Found) Brief {
	const most = 4
	return Brief{
		Rule: f.Rule, Severity: f.Severity, Responsible: f.Responsible, Recording: f.Recording, Session: f.Session,
		Frames: f.Frames[:min(len(f.Frames), most)], Count: f.Count, Message: r.cut(f.Message, 160),
	}
}

// quotes are what the evidence of a finding looks like on the wire. What cannot be
// read is left out.
func (r *Recordings) quotes(
	ctx context.Context, files []string, checked []export.Checked, f *export.Found,
) (all []Quote) {
	at := slices.IndexFunc(checked, func(c export.Checked) bool { return c.ID == f.Recording })
	if at < 0 {
		return nil
	}
	const mostQuotes, quoteBytes = 3, 480
	wanted := f.Frames[:min(len(f.Frames), mostQuotes)]
	reader, err := record.Open(files[at])
	if err != nil || len(wanted) == 0 {
		return nil
	}
	defer reader.Close()
	t := session.New(session.Options{Tap: reader.Header().Tap})
	var frame wire.Frame
	for last := slices.Max(wanted); frame.N < last && ctx.Err() == nil && reader.Next(&frame) == nil; {
		t.Apply(&frame)
		if !slices.Contains(wanted, frame.N) {
			continue
		}
		payload := t.Payload(&frame)
		if payload == nil {
			payload = frame.Data
		}
		_, to := unbroken(payload, 0, min(len(payload), quoteBytes))
		all = append(all, Quote{
			Frame: frame.N, Kind: frame.Kind.String(), Dir: direction(frame.Dir), Bytes: frame.Len,
			Text: strings.ToValidUTF8(string(payload[:to]), ""), Cut: to < len(payload),
		})
	}
	slices.SortFunc(all, func(a, b Quote) int {
		return slices.Index(wanted, a.Frame) - slices.Index(wanted, b.Frame)
	})
	return all
}

func direction(d wire.Dir) string {
	return map[wire.Dir]string{wire.ToServer: "to server", wire.ToClient: "to client"}[d]
}

// each calls do with all findings about a session from 1, or about any.
func (o *opened) each(session int, do func(*diagnose.Finding)) {
	for _, root := range o.rec.Findings.All {
		root.Each(func(f *diagnose.Finding, _ int) {
			if session == 0 || f.Session < 0 || f.Session == session-1 {
				do(f)
			}
		})
	}
}

// Explain asks what a finding or an error text means.
type Explain struct {
	Rule string `json:"rule" word:"arg" jsonschema:"id of a rule, as in a finding; or the text of an error"`
}

// Explanation is what a finding or an error text means.
type Explanation struct {
	Rule string `json:"rule,omitempty"` // its id now, "" for an error text
	Text string `json:"text"`
}

// Ask implements Question.
func (q Explain) Ask(context.Context, *Recordings) (*Explanation, error) {
	if r := rules.Find(q.Rule); r != nil {
		return &Explanation{Rule: r.ID, Text: export.RuleText(r)}, nil
	}
	near := rules.Nearest(q.Rule)
	if len(near) > 0 {
		return nil, mistakef("no rule %q. Did you mean %s?", q.Rule, strings.Join(near[:min(len(near), 5)], ", "))
	}
	said := sdkwords.Find(sdkwords.AnyCode, q.Rule)
	if len(said.Phrases) == 0 {
		said = sdkwords.Program(q.Rule)
	}
	if len(said.Phrases) == 0 {
		return nil, mistakef("no rule %q. Take the rule of a finding: midwire_diagnose has some", q.Rule)
	}
	return &Explanation{Text: export.WordsText(said)}, nil
}

func (e *Explanation) lead() {}

func (e *Explanation) next() []Call { return nil }
