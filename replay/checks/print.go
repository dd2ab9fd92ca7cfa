package checks

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"midwire/replay/junit"
	"midwire/session/export"
	"midwire/session/mcp"
	"midwire/session/safe"
)

// Formats are those that Write knows.
var Formats = []string{"text", "json", "junit", "sarif"}

// Write writes the report in one of Formats, safe for a terminal. version is midwire's.
func (r *Report) Write(w io.Writer, format, version string) error {
	var text string
	var err error
	switch format {
	case "json":
		text, err = export.SafeJSON(r)
	case "junit":
		return r.junit(w)
	case "sarif":
		text, err = export.ProblemsSARIF(r.problems(), version)
	default:
		text = r.Text()
	}
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

const (
	usualWidth = 100 // of text for no terminal
	mostNames  = 6   // of checks of a stage that passed
)

var signs = map[Verdict]string{Passed: "✓", Failed: "✗", Noted: "!", Skipped: "–"}

// Text is the report for people: a line for each stage, and below it what did not pass.
func (r *Report) Text() string {
	p := &printer{r: r, width: cmp.Or(r.Width, usualWidth), main: r.main()}
	p.wrap(r.head())
	for _, remark := range r.Remarks {
		p.wrap("note: " + remark)
	}
	groups := p.groups()
	for _, g := range groups {
		p.indent = max(p.indent, ansi.StringWidth(g.name)+4)
	}
	for _, g := range groups {
		p.group(g)
	}
	sum := fmt.Sprintf("%d passed, %d failed, %d noted, %d skipped in %s.", r.Count(Passed), r.Count(Failed), r.Count(Noted),
		r.Count(Skipped), r.Took.Round(100*time.Millisecond))
	if p.main != "" {
		sum += " midwire open " + p.main
	}
	p.wrap(sum)
	return p.b.String()
}

func (r *Report) head() string {
	head := r.Target
	if r.Name != "" {
		head = r.Name + " (" + r.Target + ")"
	}
	head = "server " + head + " over " + r.Transport
	if r.Version != "" {
		head += ", " + r.Version
	}
	return head
}

// main is the recording to open: that of the first failure, or the last one.
func (r *Report) main() string {
	for _, v := range [...]Verdict{Failed, Noted} {
		for _, c := range r.Checks {
			if c.Verdict == v && len(c.Evidence) > 0 {
				return c.Evidence[0].Recording
			}
		}
	}
	if len(r.Recordings) > 0 {
		return r.Recordings[len(r.Recordings)-1]
	}
	return ""
}

type printer struct {
	r      *Report
	b      strings.Builder
	width  int
	indent int
	main   string
}

// group is what has a line together.
type group struct {
	name   string
	checks []*Check
}

// groups returns the stages, in order.
func (p *printer) groups() (all []*group) {
	for _, c := range p.r.Checks {
		name := safe.Clean(c.Stage)
		at := slices.IndexFunc(all, func(g *group) bool { return g.name == name })
		if at < 0 {
			all, at = append(all, &group{name: name}), len(all)
		}
		all[at].checks = append(all[at].checks, c)
	}
	return all
}

func (p *printer) group(g *group) {
	var passed []string
	var others []*Check
	for _, c := range g.checks {
		if c.Verdict == Passed {
			passed = append(passed, safe.Clean(cmp.Or(c.Text, c.Name)))
		} else {
			others = append(others, c)
		}
	}
	if n := len(passed) - mostNames; n > 0 {
		passed = append(passed[:mostNames], fmt.Sprintf("%d more", n))
	}
	name := g.name
	if len(passed) > 0 {
		p.item(name, signs[Passed]+" "+strings.Join(passed, " · "), "")
		name = ""
	}
	for _, c := range others {
		text := signs[c.Verdict] + " " + safe.Clean(c.Name)
		if c.Text != "" {
			text += ": " + safe.Clean(c.Text)
		}
		p.item(name, text, p.frames(c))
		name = ""
	}
}

// item writes one entry: the name of its group where it is the first, and frames at the
// right.
func (p *printer) item(name, text, frames string) {
	room := p.width - p.indent - 2
	if frames != "" {
		room -= ansi.StringWidth(frames) + 1
	}
	for i, line := range strings.Split(ansi.Wrap(strings.Join(strings.Fields(text), " "), max(room-2, 20), ""), "\n") {
		if i == 0 {
			line = pad("  "+name, p.indent) + line
			if frames != "" {
				line = pad(line, p.width-ansi.StringWidth(frames)) + frames
			}
		} else {
			line = strings.Repeat(" ", p.indent+2) + strings.TrimLeft(line, " ")
		}
		p.b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

const maxFrames = 2

// frames are those of the evidence; of another recording than the main one, with its end.
func (p *printer) frames(c *Check) string {
	var parts []string
	for _, e := range c.Evidence[:min(len(c.Evidence), maxFrames)] {
		name := ""
		if e.Recording != p.main {
			name = safe.Clean(e.Recording[strings.LastIndexByte(e.Recording, '-')+1:])
		}
		parts = append(parts, fmt.Sprintf("%s#%d", name, e.Frame))
	}
	return strings.Join(parts, " ")
}

func (p *printer) wrap(text string) {
	for line := range strings.SplitSeq(ansi.Wrap(safe.Clean(text), p.width, ""), "\n") {
		p.b.WriteString(strings.TrimSpace(line) + "\n")
	}
}

// junit writes the report as CI systems read it: what is noted has passed, and says so.
func (r *Report) junit(w io.Writer) error {
	s := junit.Suite{Name: "midwire test " + r.Target}
	for _, c := range r.Checks {
		one := junit.Case{Class: safe.Clean(c.Stage), Name: c.Name}
		switch c.Verdict {
		case Failed:
			one.Failure = &junit.Message{Message: c.Text, Type: safe.Clean(c.Spec), Text: c.details()}
		case Skipped:
			one.Skipped = &junit.Message{Message: c.Text}
		default:
			one.Out = c.details()
		}
		s.Add(one)
	}
	return s.Write(w)
}

func (c *Check) details() string {
	var lines []string
	for _, part := range [][2]string{
		{"What happened", c.Text},
		{"What was done", c.Help},
		{"Specification", c.Spec},
		{"Rule", c.Rule},
	} {
		if part[1] != "" {
			lines = append(lines, part[0]+": "+part[1])
		}
	}
	for _, e := range c.Evidence {
		lines = append(lines, fmt.Sprintf("%s #%d: %s", e.Recording, e.Frame, e.Shows))
	}
	for i := range lines {
		lines[i] = safe.Clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

func (r *Report) problems() (all []export.Problem) {
	for _, c := range r.Checks {
		level := map[Verdict]string{Failed: "error", Noted: "warning"}[c.Verdict]
		if level == "" {
			continue
		}
		one := export.Problem{
			Rule: cmp.Or(c.Rule, c.Stage+"/"+c.Name), Title: cmp.Or(c.Help, c.Name),
			Level: level, Text: cmp.Or(c.Text, c.Name), HelpURI: mcp.SpecURL(c.Spec, mcp.Version(r.Version)),
		}
		for _, e := range c.Evidence {
			if one.Recording = cmp.Or(one.Recording, e.Recording); one.Recording == e.Recording {
				one.Frames = append(one.Frames, e.Frame)
			}
		}
		all = append(all, one)
	}
	return all
}
