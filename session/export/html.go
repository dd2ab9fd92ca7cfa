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
	"midwire/session/diagnose"
	auth "midwire/session/oauth"
	"midwire/session/safe"
	"midwire/session/words"
)

// What a report holds at most, so that it can be attached and opened. The table has the
// first and the last of what there is.
const (
	htmlFirst, htmlLast = 800, 200 // rows of the table
	htmlPayload         = 16 << 10
	htmlBudget          = 6 << 20 // of payloads, for the first rows and again for the last
	htmlFindings        = 100
	htmlSessions        = 200
)

var (
	//go:embed report.css
	reportStyle string
	//go:embed report.js
	reportScript string
)

// markup goes into a page as it is. Every other value is escaped for text and for
// attributes in double quotes; a page has values nowhere else.
type markup string

var escaped = strings.NewReplacer(
	"\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;", ">", "&gt;",
)

// page is a report that is being written.
type page struct{ brief }

// put writes markup with values in it, as fmt.Sprintf would.
func (p *page) put(text markup, values ...any) {
	for i, v := range values {
		if _, ok := v.(markup); !ok {
			values[i] = escaped.Replace(fmt.Sprint(v))
		}
	}
	p.write(fmt.Sprintf(string(text), values...))
}

// putIf writes markup with a value in it, unless that is empty.
func (p *page) putIf(text markup, value string) {
	if value != "" {
		p.put(text, value)
	}
}

// tag is a word in a frame behind a heading, none for an empty one.
func (p *page) tag(word string) { p.putIf(`<span class="tag">%s</span>`, word) }

// frames links to the rows of frames.
func (p *page) frames(all []uint64) {
	for _, n := range all {
		p.put(`<a href="#n%s">#%s</a> `, n, n)
	}
}

// pair is a line of a list of names and values.
func (p *page) pair(name string, value any) { p.put("<dt>%s</dt><dd>%s</dd>", name, value) }

type fact struct{ Name, Value string }

func (p *page) facts(all []fact) {
	p.put("<dl>")
	for _, f := range all {
		p.pair(f.Name, f.Value)
	}
	p.put("</dl>\n")
}

// writeHTML writes a report in one file, without anything from elsewhere.
func writeHTML(w io.Writer, s *Source) error {
	p := &page{brief{w: w}}
	sum := sha256.Sum256([]byte(reportScript))
	title := safe.Clean(cmp.Or(s.Label, s.ID))
	p.put(reportHead, base64.StdEncoding.EncodeToString(sum[:]), title, markup(reportStyle), title,
		s.Started.UTC().Format("2 January 2006, 15:04:05 MST"))
	c := Checked{Findings: s.findings(), Verdicts: s.Verdicts}
	if s.Session > 0 && len(c.Verdicts) > 0 {
		c.Verdicts = c.Verdicts[min(s.Session-1, len(c.Verdicts)):min(s.Session, len(c.Verdicts))]
	}
	if a, _ := AccountOf([]Checked{c}); len(c.Verdicts) > 0 || a.Cause != nil {
		p.put("<p class=\"say %s\">%s %s</p>\n", verdictClasses[a.Outcome], a.Sign(), safe.Clean(a.Line))
	}
	p.facts(s.facts())
	p.putIf("<p class=\"warn\">The recording: %s</p>\n", safe.Clean(s.Trouble))
	logins := s.logins()
	p.put(`<nav><a href="#findings">Findings</a><a href="#sessions">Sessions</a>`)
	if len(logins) > 0 {
		p.put(`<a href="#authorization">Authorization</a>`)
	}
	p.put("<a href=\"#messages\">Messages</a></nav>\n</header>\n")
	p.findings(Findings(c))
	p.sessions(s)
	p.logins(logins)
	s.htmlRows(p)
	p.put(reportFoot, s.Version, markup(reportScript))
	return p.err
}

const (
	reportHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%s · midwire report</title>
<style>%s</style>
</head>
<body>
<main>
<header>
<h1>%s</h1>
<p class="dim">MCP traffic recorded by midwire on %s</p>
`
	reportFoot = `<footer>Made by midwire %s. Recorded credentials are masked, and session ids are replaced by placeholders, ` +
		`unless the report was made with --keep-ids. Payloads are shown as they were: look through them before you share this.</footer>
</main>
<script>%s</script>
</body>
</html>
`
)

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

func (p *page) findings(all []Found) {
	p.put("\n<section id=\"findings\">\n<h2>What was found</h2>\n")
	for i := range all[:min(len(all), htmlFindings)] {
		p.finding(i+1, &all[i])
	}
	if len(all) == 0 {
		p.put("<p class=\"dim\">No findings: nothing in this recording breaks a rule that midwire knows.</p>\n")
	}
	if more := len(all) - htmlFindings; more > 0 {
		p.put("<p class=\"dim\">%s: midwire check lists them all.</p>\n", words.Count(more, "more finding"))
	}
	p.put("</section>\n")
}

func (p *page) finding(number int, f *Found) {
	f.Each(func(f *Found) { f.Rewrite(safe.Clean) })
	p.put("<article class=\"card %s\" id=\"finding-%s\">\n<h3>%s %s", f.Severity, number, severitySign(f.Level), f.Rule)
	p.tag(f.Severity)
	if f.Session > 0 {
		p.tag(fmt.Sprintf("session %d", f.Session))
	}
	if f.Count > 1 {
		p.tag(fmt.Sprintf("%d times", f.Count))
	}
	p.put("</h3>\n<p class=\"say\">%s</p>\n<dl>", f.Message)
	help := f.rule.Help()
	p.pair(headMeaning, help.Means)
	if f.Known {
		p.pair(headCause, f.Cause)
		p.put("\n<dt>%s</dt><dd>%s <span class=\"dim\">%s: %s.</span></dd>\n", headFix, f.Fix, headSide, f.Responsible)
	} else {
		p.pair(headSide, diagnose.NotKnown)
	}
	for _, l := range f.Evidence {
		label, text, _ := strings.Cut(l.Text, ": ")
		p.put("<dt>%s</dt><dd>%s ", label, text)
		p.frames(l.Frames)
		p.put("</dd>")
	}
	p.putIf("<dt>Specification</dt><dd class=\"dim\">%s</dd>\n", help.Spec)
	if len(f.Frames) > 0 {
		p.put("<dt>Evidence</dt><dd>")
		p.frames(f.Frames)
		p.put("</dd>")
	}
	p.put("</dl>\n")
	below := 0
	f.walkBelow(func(*Found, int) { below++ })
	if below > 0 {
		p.put("<details><summary>%s</summary>\n<ul>", words.CountOf(below, "consequence", "consequences"))
		f.walkBelow(func(g *Found, depth int) {
			p.put("<li>%s%s %s ", strings.Repeat("› ", depth-1), severitySign(g.Level), g.Rule)
			p.frames(g.Frames)
			p.put("%s</li>\n", g.Message)
		})
		p.put("</ul></details>\n")
	}
	p.put("</article>\n")
}

func (p *page) sessions(s *Source) {
	all := s.sessions()
	p.put("\n<section id=\"sessions\">\n<h2>Sessions</h2>\n")
	for _, one := range all[:min(len(all), htmlSessions)] {
		p.session(s, one)
	}
	if len(all) == 0 {
		p.put("<p class=\"dim\">None: no MCP was spoken.</p>\n")
	}
	if more := len(all) - htmlSessions; more > 0 {
		p.put("<p class=\"dim\">%s.</p>\n", words.Count(more, "more session"))
	}
	p.put("</section>\n")
}

func (p *page) session(s *Source, x *session.Session) {
	good := ""
	if x.State == session.StateFailed || x.State == session.StateLost {
		good = "bad"
	}
	p.put("<article class=\"card\" id=\"session-%s\">\n<h3>%s ↔ %s<span class=\"tag\">session %s</span><span class=\"tag %s\">%s</span></h3>\n",
		x.Index+1, safe.Clean(peer(x.Client)), safe.Clean(peer(x.Server)), x.Index+1, good, x.State)
	steps := x.Steps
	if x.Index < len(s.Verdicts) {
		v := s.Verdicts[x.Index]
		steps = v.LifeCycle(steps, false)
		p.put("<p class=\"%s\">%s</p>\n", verdictClasses[v.Outcome], v)
	}
	id := ""
	if x.ID != "" {
		id = x.ID + " (" + x.IDSource.String() + ")"
	}
	p.put("<dl>")
	for _, f := range []fact{
		{"transport", x.Transport.String()},
		{"protocol version", string(x.ProtocolVersion)},
		{"endpoint", x.Endpoint},
		{"session id", id},
		{"grouped by", x.Why},
		{"traffic", words.Count(x.Messages, "message") + ", " + words.Count(x.Calls, "call") + ", " +
			words.Count(x.Errors, "error") + ", " + fmt.Sprint(x.Pending) + " unanswered"},
	} {
		if f.Value != "" {
			p.pair(f.Name, safe.Clean(f.Value))
		}
	}
	p.put("</dl>\n")
	if len(steps) > 0 {
		p.put(`<ol class="steps">`)
		for _, step := range steps {
			marks := [...][2]string{{"ahead", "○"}, {"now", "●"}, {"done", "✓"}, {"bad", "✗"}, {"skipped", "–"}}[step.Mark]
			p.put("<li class=\"%s\">%s %s", marks[0], marks[1], safe.Clean(step.Name))
			if step.Took > 0 {
				p.put(" <small>%s</small>", Duration(step.Took))
			}
			p.putIf(" <small>%s</small>", safe.Clean(step.Note))
			p.put("</li>")
		}
		p.put("</ol>")
	}
	p.put("\n</article>\n")
}

func (p *page) logins(all []*auth.Flow) {
	if len(all) == 0 {
		return
	}
	p.put("\n<section id=\"authorization\">\n<h2>Authorization</h2>\n")
	for _, f := range all {
		p.login(f)
	}
	p.put("</section>\n")
}

// loginClasses are the colours of steps.
var loginClasses = map[auth.State]string{auth.Done: "ok", auth.Failed: "bad", auth.Skipped: "dim", auth.NotSeen: "dim"}

func (p *page) login(f *auth.Flow) {
	good := "bad"
	if f.Outcome != auth.Broken && len(f.Checks) == 0 {
		good = "ok"
	}
	p.put("<article class=\"card\" id=\"flow-%s\">\n<h3>%s", f.Number, safe.Clean(words.Join(f.Client, "→ "+f.URL)))
	p.tag(f.Title())
	p.put("</h3>\n<p class=\"%s\">%s</p>\n<dl>", good, safe.Clean(authOutcome(f)))
	for i := range f.Steps {
		st := &f.Steps[i]
		p.put("<dt class=\"%s\">%s %s %s</dt><dd>%s <span class=\"dim\">%s → %s</span> ", loginClasses[st.State], authSigns[st.State],
			st.Number, st.Kind.Title(), safe.Clean(st.Text), st.From, st.To)
		p.frames(st.Frames)
		for _, link := range st.Links {
			p.put("<br><span class=\"dim\">%s</span> %s", link.Name, safe.Clean(link.Value))
		}
		p.put("</dd>\n")
	}
	p.put("</dl>\n")
	for i := range f.Checks {
		c := &f.Checks[i]
		p.put("<p class=\"bad\">✗ Step %s, %s: %s</p>\n<dl>", int(c.Step)+1, c.ID, safe.Clean(c.Text))
		for _, side := range []auth.Side{c.A, c.B} {
			p.put("<dt>%s</dt><dd>%s", safe.Clean(side.What), safe.Clean(cmp.Or(side.Value, "none")))
			if side.N != 0 {
				p.put(` <a href="#n%s">#%s</a>`, side.N, side.N)
			}
			p.put("</dd>\n")
		}
		p.put("<dt>%s</dt><dd>%s <span class=\"dim\">(%s; %s)</span></dd></dl>\n", headFix, safe.Clean(c.Fix), c.Who, c.Spec)
	}
	p.put("</article>\n")
}

// logins are the flows that a report shows: what has a step besides the use of a
// token that was there before.
func (s *Source) logins() (out []*auth.Flow) {
	for i := range s.Logins {
		f := &s.Logins[i]
		if (f.Outcome != auth.NoLogin || len(f.Checks) > 0) && (s.Session == 0 || f.Session == s.Session) {
			out = append(out, f)
		}
	}
	return out
}
