package diagnose

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/evidence"
	"midwire/session/words"
)

// Remedy is what one side can do about a finding.
type Remedy struct {
	Side Side // Unclear: whoever can; Responsible, of a rule: the side that its finding is about
	// Text is a sentence that begins in lower case, since it stands behind the side; of
	// Unclear it begins as sentences do.
	Text string
}

// Who names the side.
func (r Remedy) Who() string {
	if r.Side == Unclear {
		return "anyone"
	}
	return r.Side.String()
}

// FixText is the remedies as one text: "In the server: …. In the client: …."
func FixText(all []Remedy) string { return strings.Join(fixParts(all, Unclear), " ") }

// fixParts are the remedies as sentences, those with the same text as one. The side that
// is known need not be named.
func fixParts(all []Remedy, known Side) (parts []string) {
	for i := 0; i < len(all); {
		r, who := all[i], all[i].Side.String()
		named := r.Side != Unclear && (r.Side != known || i+1 < len(all) && all[i+1].Text == r.Text)
		for i++; i < len(all) && all[i].Text == r.Text; i++ {
			who += " or " + all[i].Side.String()
		}
		if named {
			parts = append(parts, "In the "+who+": "+r.Text)
		} else {
			parts = append(parts, words.Capital(r.Text))
		}
	}
	return parts
}

// Fixes are the remedies as sentences. Where AtFault holds, they do not name the side of
// the finding.
func (f *Finding) Fixes() []string {
	if f.AtFault() {
		return fixParts(f.Remedies, f.Side)
	}
	return fixParts(f.Remedies, Unclear)
}

// Fix is the remedies as one text.
func (f *Finding) Fix() string { return FixText(f.Remedies) }

// Fix is the remedies as one text.
func (h Help) Fix() string { return FixText(h.Remedies) }

// Known reports whether it knows the cause: the sentence, the responsible side and the fix. What
// does not only states what was seen.
func (f *Finding) Known() bool { return !f.Seen }

// AtFault reports whether it is known which side is at fault, and a remedy is there.
func (f *Finding) AtFault() bool {
	return f.Known() && slices.ContainsFunc(f.Remedies, func(r Remedy) bool { return r.Side == f.Side })
}

// NotKnown is what stands where no side is known.
const NotKnown = "the cause is not known"

// Act says in the words of a badge who must act on what a rule found in a session, which may be
// nil.
func Act(r *Rule, side Side, s *session.Session) string {
	client := "the client"
	if s != nil {
		client = evidence.Name(s.Client, client)
	}
	switch side {
	case Client:
		if r != nil && r.Configured {
			return "fix the configuration of " + client
		}
		return "fix " + client
	case Server:
		return "fix the server"
	case Gateway:
		return "fix what is between client and server"
	case Environment:
		return "fix the environment"
	case Unclear:
		return NotKnown
	}
	return "at fault: " + side.String()
}

// Rewrite puts every text of the finding through a function, such as one that masks.
func (f *Finding) Rewrite(do func(string) string) {
	f.Message, f.Cause, f.Remedies = do(f.Message), do(f.Cause), slices.Clone(f.Remedies)
	for i := range f.Remedies {
		f.Remedies[i].Text = do(f.Remedies[i].Text)
	}
}

// meant are remedies of a rule as they hold for a finding about a side.
func meant(all []Remedy, side Side) []Remedy {
	if !slices.ContainsFunc(all, func(r Remedy) bool { return r.Side == Responsible }) {
		return all
	}
	all = slices.Clone(all)
	for i := range all {
		if all[i].Side == Responsible {
			all[i].Side = side
		}
	}
	return all
}
