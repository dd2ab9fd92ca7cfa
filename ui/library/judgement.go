package library

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/term"
)

// Judgement is the verdict on a session in a few words, with its sign and style:
// the worst error or warning that was found, without who is at fault; "" when
// there is none.
func (r *Recording) Judgement(sc *Scene, session int) (sign safe.Text, st term.Style, words safe.Text) {
	f := r.worst(session)
	if f == nil {
		return "", term.Plain, ""
	}
	title := f.Rule.Title
	for _, who := range []string{"The client ", "The server "} {
		title = strings.TrimPrefix(title, who)
	}
	sign, st = sc.Severity(f.Severity)
	return sign, st, safe.Line(title)
}

// worst is the first of the worst errors and warnings of a session.
func (r *Recording) worst(session int) (worst *diagnose.Finding) {
	t := r.Findings.BySession[session]
	if t[diagnose.Error] == 0 && t[diagnose.Warning] == 0 {
		return nil
	}
	for _, f := range r.Findings.All {
		if f.Session != session || f.Severity > diagnose.Warning || r.Findings.Muted[f.Rule.ID] {
			continue
		}
		if worst == nil || f.Severity < worst.Severity {
			worst = f
		}
	}
	return worst
}
