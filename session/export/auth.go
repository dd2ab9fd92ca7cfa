package export

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/insight/auth"
	"midwire/session/safe"
	"midwire/session/words"
)

// Authorization is what a recording shows of authorization. Its JSON names are
// stable.
type Authorization struct {
	Recording string `json:"recording"`
	auth.Account
	Trouble string `json:"trouble,omitempty"` // what is wrong with the recording
}

// AuthJSON writes an account as JSON.
func AuthJSON(a *Authorization) (string, error) { return safeJSON(a) }

// AuthText writes an account for people.
func AuthText(a *Authorization) string {
	var b strings.Builder
	if len(a.Flows) == 0 {
		b.WriteString("No login, and no Authorization header in this recording.\n")
	}
	for i := range a.Flows {
		if i > 0 {
			b.WriteByte('\n')
		}
		authFlow(&b, &a.Flows[i])
	}
	if a.LeftOut > 0 {
		b.WriteString("\n" + words.Count(a.LeftOut, "more flow") + " left out.\n")
	}
	return b.String()
}

func authFlow(b *strings.Builder, f *auth.Flow) {
	head := []string{fmt.Sprintf("Flow %d: %s", f.Number, words.Join(f.Client, "→ "+f.URL))}
	if f.Session > 0 {
		head = append(head, fmt.Sprintf("session %d", f.Session))
	}
	if f.Version != "" {
		head = append(head, f.Version)
	}
	if f.Try > 1 {
		head = append(head, fmt.Sprintf("try %d", f.Try))
	}
	b.WriteString(safe.Clean(strings.Join(head, ", ")) + "\n" + safe.Clean(authOutcome(f)) + "\n\n")
	for i := range f.Steps {
		b.WriteString(authStep(&f.Steps[i]) + "\n")
	}
	for i := range f.Checks {
		name := "First failing check"
		if i > 0 {
			name = "Failing check"
		}
		authCheck(b, name, &f.Checks[i])
	}
	authCredentials(b, f)
}

// authOutcome is how a flow ended, in a sentence.
func authOutcome(f *auth.Flow) string {
	switch n := len(f.Checks); {
	case f.Outcome == auth.NoLogin && n == 0:
		return "No login: the client had a token from the start, and the server accepts it."
	case f.Outcome == auth.NoLogin:
		return "No login: the client had a token from the start."
	case f.Outcome == auth.Authorized && n == 0:
		return "Authorized."
	case f.Outcome == auth.Authorized:
		return "Authorized, though " + words.Count(n, "check") + " failed."
	case n > 0:
		return fmt.Sprintf("Fails at step %d, %s.", int(f.First().Step)+1, f.First().Step.Title())
	case f.Outcome == auth.Broken:
		return "Fails."
	}
	return "Unfinished: nothing that was seen failed."
}

var authSigns = map[auth.State]string{auth.Done: "✓", auth.Failed: "✗", auth.Skipped: "–", auth.NotSeen: "·"}

// authStep is the line of a step.
func authStep(s *auth.Step) string {
	frames := ""
	if s.More > 0 {
		frames = "… "
	}
	if len(s.Frames) > 0 {
		frames += frameList(s.Frames)
	}
	var links []string
	for _, l := range s.Links {
		links = append(links, l.Name+"="+l.Value)
	}
	parts := []string{
		fmt.Sprintf("%s %2d", authSigns[s.State], s.Number), padded(s.Kind.Title(), 23),
		padded(string(s.From)+" → "+string(s.To), 22),
	}
	for _, part := range append([]string{s.Text, frames}, links...) {
		if part != "" {
			parts = append(parts, safe.Clean(part))
		}
	}
	return strings.TrimRight(strings.Join(parts, "  "), " ")
}

func padded(s string, n int) string { return s + strings.Repeat(" ", max(n-ansi.StringWidth(s), 0)) }

// authCheck writes both values of a check side by side, one above the other.
func authCheck(b *strings.Builder, name string, c *auth.Check) {
	fmt.Fprintf(b, "\n✗ %s: step %d, %s\n", name, int(c.Step)+1, c.ID)
	wide := min(max(ansi.StringWidth(safe.Clean(c.A.What)), ansi.StringWidth(safe.Clean(c.B.What))), 48)
	for _, s := range []auth.Side{c.A, c.B} {
		line := "    " + padded(safe.Clean(s.What), wide) + "  "
		if s.Value == "" {
			line += "none"
		} else {
			line += safe.Clean(s.Value)
		}
		if s.N != 0 {
			line += fmt.Sprintf("  #%d", s.N)
		}
		b.WriteString(line + "\n")
	}
	unbroken(b, c.Text)
	unbroken(b, "How to fix it ("+string(c.Who)+"): "+c.Fix)
	if c.Spec != "" {
		b.WriteString("    Specification: " + c.Spec + "\n")
	}
	if c.Rule != "" {
		b.WriteString("    midwire explain " + c.Rule + "\n")
	}
}

// unbroken writes lines that end at blanks only: addresses stay whole.
func unbroken(b *strings.Builder, text string) {
	line := ""
	for word := range strings.FieldsSeq(safe.Clean(text)) {
		if line != "" && ansi.StringWidth(line)+ansi.StringWidth(word) >= textWidth-4 {
			b.WriteString("    " + line + "\n")
			line = ""
		}
		line = words.Join(line, word)
	}
	b.WriteString("    " + line + "\n")
}

// authCredentials lists the tokens. Claims are those of the payload.
func authCredentials(b *strings.Builder, f *auth.Flow) {
	if len(f.Credentials) == 0 {
		return
	}
	b.WriteString("\nTokens issued:\n")
	for _, c := range f.Credentials {
		line := fmt.Sprintf("    %s  %s  #%d", padded(c.Kind, 7), c.Mask, c.N)
		switch {
		case c.Opaque:
			line += "  opaque"
		case c.Kind == "access" && len(c.Claims) == 0:
			line += "  claims are masked in this recording"
		}
		b.WriteString(safe.Clean(line) + "\n")
		for _, claim := range c.Claims {
			b.WriteString("      " + safe.Clean(claim.Name+" = "+claim.Value) + "\n")
		}
	}
}

// AuthMarkdown writes a flow as a part of a document, for an issue.
func AuthMarkdown(f *auth.Flow) string {
	var b strings.Builder
	about := words.Join(f.Client, "→ "+f.URL)
	b.WriteString("## Authorization: " + markdown(safe.Clean(about)) + "\n\n" + markdown(safe.Clean(authOutcome(f))) + "\n\n")
	b.WriteString("| | step | between | what | frames | value |\n|---|---|---|---|---|---|\n")
	for i := range f.Steps {
		s := &f.Steps[i]
		var links []string
		for _, l := range s.Links {
			links = append(links, l.Name+" = "+l.Value)
		}
		b.WriteString("| " + authSigns[s.State] + " |")
		for _, text := range []string{
			fmt.Sprintf("%d %s", s.Number, s.Kind.Title()), string(s.From) + " → " + string(s.To), s.Text,
			frameList(s.Frames), strings.Join(links, ", "),
		} {
			b.WriteString(" " + cell(safe.Clean(text)) + " |")
		}
		b.WriteByte('\n')
	}
	for i := range f.Checks {
		c := &f.Checks[i]
		b.WriteString(fmt.Sprintf("\n**Step %d, %s.** %s\n\n", int(c.Step)+1, markdown(c.ID), markdown(safe.Clean(c.Text))))
		for _, s := range []auth.Side{c.A, c.B} {
			value := s.Value
			if value == "" {
				value = "none"
			}
			b.WriteString("- " + markdown(safe.Clean(s.What)) + ": " + markdown(safe.Clean(value)))
			if s.N != 0 {
				b.WriteString(fmt.Sprintf(" (#%d)", s.N))
			}
			b.WriteByte('\n')
		}
		b.WriteString("\nHow to fix it (" + string(c.Who) + "): " + markdown(safe.Clean(c.Fix)) + "\n")
	}
	return b.String()
}
