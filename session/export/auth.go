package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	auth "midwire/session/oauth"
	"midwire/session/safe"
	"midwire/session/words"
)

// Authorization is what a recording shows of authorization. Its JSON names are
// stable.
type Authorization struct {
	Recording string `json:"recording"`
	Session   int    `json:"session,omitempty"` // that alone was requested; 0 for all
	Others    int    `json:"-"`                 // flows that are not of it
	Tap       string `json:"-"`
	auth.Account
	Trouble string `json:"trouble,omitempty"` // what is wrong with the recording
}

// KeepSession keeps the flows of one session.
func (a *Authorization) KeepSession(session int) {
	all := len(a.Flows)
	a.Session = session
	a.Flows = slices.DeleteFunc(a.Flows, func(f auth.Flow) bool { return f.Session != session })
	a.Others = all - len(a.Flows)
}

// AuthText writes an account for people.
func AuthText(a *Authorization) string {
	var b strings.Builder
	switch {
	case len(a.Flows) > 0:
	case a.Session > 0 && a.Others > 0:
		fmt.Fprintf(&b, "No login in session %d. In the whole recording: %s.\n", a.Session, words.Count(a.Others, "flow"))
	case a.Tap == "stdio":
		b.WriteString("No login: this is stdio, where a server takes its credentials from the environment.\n")
	default:
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
	about := []string{f.Title()}
	if f.Session > 0 {
		about = append(about, fmt.Sprintf("session %d", f.Session))
	}
	if f.Version != "" {
		about = append(about, f.Version)
	}
	b.WriteString(safe.Clean(fmt.Sprintf("Flow %d: %s", f.Number, words.Join(f.Client, "→ "+f.URL))) + "\n")
	b.WriteString(safe.Clean(strings.Join(about, ", ")) + "\n" + safe.Clean(authOutcome(f)) + "\n\n")
	for i := range f.Steps {
		authStep(b, &f.Steps[i])
	}
	if f.Unseen() {
		b.WriteByte('\n')
		broken(b, "The authorization server "+f.AuthServer+" is not in this recording. "+
			"midwire exec --host NAME -- CLIENT, with a --host for each of the two servers, records both.", 0)
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
	return "Unfinished: no recorded step failed."
}

var authSigns = map[auth.State]string{auth.Done: "✓", auth.Failed: "✗", auth.Skipped: "–", auth.NotSeen: "·"}

// authStep writes a step: who asks whom and its frames, the outcome, and the
// values that lead to the next one. What was not seen is a line.
func authStep(b *strings.Builder, s *auth.Step) {
	head := fmt.Sprintf("%s %2d  %s", authSigns[s.State], s.Number, pad(s.Kind.Title(), 25))
	if len(s.Frames) == 0 && len(s.Links) == 0 {
		b.WriteString(strings.TrimRight(head+safe.Clean(s.Text), " ") + "\n")
		return
	}
	way := pad(string(s.From)+" → "+string(s.To), 24)
	b.WriteString(strings.TrimRight(head+way+stepFrames(s), " ") + "\n")
	broken(b, s.Text, 6)
	for _, l := range s.Links {
		b.WriteString("      " + safe.Clean(l.Name+"  "+l.Value) + "\n")
	}
}

// stepFrames are those of a step: of many the first and the last.
func stepFrames(s *auth.Step) string {
	if n := len(s.Frames); n > 4 {
		return FrameList(s.Frames[:1]) + " … " + FrameList(s.Frames[n-1:]) + ", " + words.Count(n+s.More, "frame")
	}
	return FrameList(s.Frames)
}

// authCheck writes both values of a check side by side, one above the other.
func authCheck(b *strings.Builder, name string, c *auth.Check) {
	fmt.Fprintf(b, "\n✗ %s: step %d, %s\n", name, int(c.Step)+1, c.ID)
	wide := min(max(ansi.StringWidthWc(safe.Clean(c.A.What)), ansi.StringWidthWc(safe.Clean(c.B.What))), 48)
	for _, s := range []auth.Side{c.A, c.B} {
		line := "    " + pad(safe.Clean(s.What), wide) + "  "
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
	broken(b, c.Text, 4)
	broken(b, "How to fix it ("+string(c.Who)+"): "+c.Fix, 4)
	if c.Spec != "" {
		b.WriteString("    Specification: " + c.Spec + "\n")
	}
	if c.Rule != "" {
		b.WriteString("    midwire explain " + c.Rule + "\n")
	}
}

// authWidth is where the account of a flow is broken.
const authWidth = 80

// broken writes a text in lines of authWidth that end at blanks only: addresses stay
// whole.
func broken(b *strings.Builder, text string, indent int) {
	line := ""
	for word := range strings.FieldsSeq(safe.Clean(text)) {
		if line != "" && ansi.StringWidthWc(line)+ansi.StringWidthWc(word) >= authWidth-indent {
			b.WriteString(strings.Repeat(" ", indent) + line + "\n")
			line = ""
		}
		line = words.Join(line, word)
	}
	if line != "" {
		b.WriteString(strings.Repeat(" ", indent) + line + "\n")
	}
}

// authCredentials lists the tokens. Claims are those of the payload.
func authCredentials(b *strings.Builder, f *auth.Flow) {
	if len(f.Credentials) == 0 {
		return
	}
	b.WriteString("\nTokens issued:\n")
	for _, c := range f.Credentials {
		line := fmt.Sprintf("    %s  %s  #%d", pad(c.Kind, 7), c.Mask, c.N)
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

// FlowText writes one flow for people, to be pasted into an issue.
func FlowText(f *auth.Flow) string {
	var b strings.Builder
	authFlow(&b, f)
	return b.String()
}
