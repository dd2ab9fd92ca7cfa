package export

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
)

// What a report holds at most, so that it can be attached and opened. The
// diagrams and the table have the first and the last of what there is.
const (
	htmlFirst, htmlLast         = 800, 200 // rows of the table
	sequenceFirst, sequenceLast = 90, 30
	waterFirst, waterLast       = 110, 40
	htmlPayload                 = 16 << 10
	htmlBudget                  = 6 << 20 // of payloads, for the first rows and again for the last
	htmlFindings                = 100
	htmlSessions                = 200
)

var (
	//go:embed report.html
	reportPage string
	//go:embed report.css
	reportStyle string
	//go:embed report.js
	reportScript string
)

// report is what the page shows.
type report struct {
	Title, About, When, Version, Policy string
	Style                               markup
	Script                              markup
	Facts                               []fact
	Answer                              htmlAnswer
	Findings                            []htmlFinding
	MoreFindings                        string
	Sessions                            []htmlSession
	MoreSessions                        string
	Logins                              []login
	Sequence                            *sequence
	Waterfall                           *waterfall
	Rows                                []htmlRow
	Left, Trouble, Cut                  string
}

// htmlAnswer is what the recording comes to, as check says it first.
type htmlAnswer struct{ Class, Sign, Text string }

type fact struct{ Name, Value string }

type htmlFinding struct {
	Found
	Number                     int
	Sign, Means, Section, Seen string
	Below                      []htmlFollows
	Consequences               string // how many there are
}

// htmlFollows is what follows from a finding; Lead stands before what follows
// from that.
type htmlFollows struct {
	Lead, Sign, Rule, Message string
	Frames                    []uint64
}

type htmlSession struct {
	Number                           int
	Verdict, Class                   string
	Client, Server, State, Good, Why string
	Facts                            []fact
	Steps                            []htmlStep
}

type htmlStep struct{ Name, Mark, Sign, Note, Took string }

type htmlRow struct {
	N                        uint64
	Time, Session, Arrow     string
	Sign, Class, Name, Words string
	ID, Latency              string
	Ask, Response            string
	ResponseN                uint64
	Gap                      string // a row that stands for others
}

// writeHTML writes a report in one file, without anything from elsewhere.
func writeHTML(w io.Writer, s *Source) error {
	page, err := parsePage(reportPage)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	sum := sha256.Sum256([]byte(reportScript))
	r := report{
		Title: safe.Clean(cmp.Or(s.Label, s.ID)), About: safe.Clean(s.about()),
		When: s.Started.UTC().Format("2 January 2006, 15:04:05 MST"), Version: s.Version,
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Style:  markup(reportStyle), Script: markup(reportScript),
		Trouble: safe.Clean(s.Trouble), Cut: "16 KiB",
	}
	r.Facts = s.facts()
	s.htmlFindings(&r)
	all := s.sessions()
	for _, one := range all[:min(len(all), htmlSessions)] {
		r.Sessions = append(r.Sessions, s.htmlSession(one))
	}
	if more := len(all) - len(r.Sessions); more > 0 {
		r.MoreSessions = words.Count(more, "more session")
	}
	r.Logins = s.logins()
	r.Sequence, r.Waterfall = s.sequence(), s.waterfall()
	s.htmlRows(&r)
	return page.write(w, &r)
}

func (s *Source) facts() []fact {
	all := []fact{{"Recording", safe.Clean(s.ID)}, {"Started", s.Started.UTC().Format(time.RFC3339)}}
	if len(s.Command) > 0 {
		all = append(all, fact{"Command", safe.Clean(strings.Join(s.Command, " "))})
	}
	if s.Target != "" {
		all = append(all, fact{"Server", safe.Clean(s.Target)})
	}
	messages, errors := 0, 0
	for _, one := range s.sessions() {
		messages, errors = messages+one.Messages, errors+one.Errors
	}
	return append(all,
		fact{"Traffic", words.Count(len(s.sessions()), "session") + ", " + words.Count(messages, "message") + ", " + words.Count(errors, "failed call")},
		fact{"midwire", s.Version})
}

// verdictClasses are the colours of verdicts.
var verdictClasses = [...]string{"", "ok", "bad", "warn", ""}

func (s *Source) htmlFindings(r *report) {
	c := Checked{Findings: s.findings(), Verdicts: s.Verdicts}
	if s.Session > 0 && len(c.Verdicts) > 0 {
		c.Verdicts = c.Verdicts[min(s.Session-1, len(c.Verdicts)):min(s.Session, len(c.Verdicts))]
	}
	if a, _ := AccountOf([]Checked{c}); len(c.Verdicts) > 0 || a.Cause != nil {
		r.Answer = htmlAnswer{verdictClasses[a.Outcome], accountSign(a.Verdict), safe.Clean(a.Sentence())}
	}
	all := Findings(c)
	for i, f := range all[:min(len(all), htmlFindings)] {
		f.Each(func(f *Found) {
			f.Rewrite(safe.Clean)
		})
		help := f.rule.Help()
		h := htmlFinding{Found: f, Number: i + 1, Sign: severitySign(f.Level), Means: help.Means, Section: help.Spec}
		if f.Count > 1 {
			h.Seen = fmt.Sprintf("%d times", f.Count)
		}
		f.below(func(g *Found, depth int) {
			lead := strings.Repeat("› ", depth-1)
			h.Below = append(h.Below, htmlFollows{lead, severitySign(g.Level), g.Rule, g.Message, g.Frames})
		})
		h.Consequences = words.CountOf(len(h.Below), "consequence", "consequences")
		r.Findings = append(r.Findings, h)
	}
	if more := len(all) - len(r.Findings); more > 0 {
		r.MoreFindings = words.Count(more, "more finding")
	}
}

func (s *Source) htmlSession(x *session.Session) htmlSession {
	h := htmlSession{
		Number: x.Index + 1,
		Client: safe.Clean(peer(x.Client)),
		Server: safe.Clean(peer(x.Server)),
		State:  x.State.String(),
		Why:    safe.Clean(x.Why),
	}
	if x.Index < len(s.Verdicts) {
		v := s.Verdicts[x.Index]
		h.Verdict, h.Class = v.String(), verdictClasses[v.Outcome]
	}
	if x.State == session.StateFailed || x.State == session.StateLost {
		h.Good = "bad"
	}
	add := func(name, value string) {
		if value != "" {
			h.Facts = append(h.Facts, fact{name, safe.Clean(value)})
		}
	}
	add("transport", x.Transport.String())
	add("protocol version", string(x.ProtocolVersion))
	add("endpoint", x.Endpoint)
	if x.ID != "" {
		add("session id", x.ID+" ("+x.IDSource.String()+")")
	}
	add("grouped by", x.Why)
	add("traffic", words.Count(x.Messages, "message")+", "+words.Count(x.Calls, "call")+", "+words.Count(x.Errors, "error")+", "+fmt.Sprint(x.Pending)+" unanswered")
	steps := x.Steps
	if x.Index < len(s.Verdicts) {
		steps = s.Verdicts[x.Index].LifeCycle(steps, false)
	}
	for _, step := range steps {
		marks := [...]htmlStep{{Mark: "ahead", Sign: "○"}, {Mark: "now", Sign: "●"}, {Mark: "done", Sign: "✓"}, {Mark: "bad", Sign: "✗"}, {Mark: "skipped", Sign: "–"}}
		one := marks[step.Mark]
		one.Name, one.Note = safe.Clean(step.Name), safe.Clean(step.Note)
		if step.Took > 0 {
			one.Took = Duration(step.Took)
		}
		h.Steps = append(h.Steps, one)
	}
	return h
}

func (s *Source) htmlRows(r *report) {
	rows, gap, skipped := s.some(htmlFirst, htmlLast, func(*session.Row) bool { return true })
	budget := htmlBudget
	for i, at := range rows {
		if i == gap && skipped > 0 {
			r.Left = words.Count(skipped, "row")
			r.Rows = append(r.Rows, htmlRow{Gap: r.Left + " left out here: the report holds the first " + fmt.Sprint(htmlFirst) + " and the last " + fmt.Sprint(htmlLast)})
			budget = htmlBudget
		}
		r.Rows = append(r.Rows, s.htmlRow(s.tracker.Row(at), &budget))
	}
}

func (s *Source) htmlRow(r *session.Row, budget *int) htmlRow {
	target, result := s.words(r)
	h := htmlRow{
		N: uint64(r.Request), Time: fmt.Sprintf("%.3f", float64(r.T)/1e9), Arrow: Arrow(r.Dir, r.Kind),
		Sign: Sign(r.Ending), Class: endingClass(r.Ending),
		Name: safe.Clean(s.clean(s.tracker.Name(r.Name))), Words: safe.Clean(outcome(target, result)),
		ID: safe.Clean(s.tracker.Name(r.ID)), ResponseN: uint64(r.Response),
	}
	if r.Session >= 0 {
		h.Session = fmt.Sprint(r.Session + 1)
	}
	if r.Kind == session.RowCall && r.End != 0 {
		h.Latency = Duration(r.Latency())
	}
	h.Ask = s.shown(uint64(r.Request), r.Batch, budget)
	if r.Response != r.Request {
		h.Response = s.shown(uint64(r.Response), r.RBatch, budget)
	}
	return h
}

// endingClass is the colour of how a row ended.
func endingClass(e session.Ending) string {
	word := e.Word()
	return cmp.Or(map[string]string{"error": "bad", "cancelled": "dim", "lost": "warn"}[word], word)
}

// shown is a payload as the report shows it: JSON laid out, safe, and cut.
func (s *Source) shown(n uint64, batch uint16, budget *int) string {
	payload := s.message(n, batch)
	if payload == "" {
		return ""
	}
	if *budget <= 0 {
		return fmt.Sprintf("… %d bytes left out to limit the size of the report", len(payload))
	}
	if len(payload) <= htmlBudget {
		if text, ok := wire.Indent([]byte(payload), ""); ok {
			payload = string(text)
		}
	}
	cut := ""
	if len(payload) > htmlPayload {
		cut = fmt.Sprintf("\n… %d bytes more", len(payload)-htmlPayload)
		payload = words.Clip(payload, htmlPayload)
	}
	var b strings.Builder
	for line := range strings.Lines(payload) {
		b.WriteString(safe.Whole(strings.TrimRight(line, "\r\n")) + "\n")
	}
	*budget -= b.Len()
	return strings.TrimSuffix(b.String(), "\n") + cut
}

// severityClass is the colour of a finding.
func severityClass(bad bool) string {
	if bad {
		return "bad"
	}
	return "warn"
}
