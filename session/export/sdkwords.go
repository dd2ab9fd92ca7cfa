package export

import (
	"strings"

	"midwire/session/diagnose/sdkwords"
)

// WordsText says for people what an error text means, who says it so, and which rules
// explain it.
func WordsText(f sdkwords.Found) string {
	var b strings.Builder
	for i, m := range f.Meanings() {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(m.String() + "\n")
		paragraph(&b, "", m.Says())
		b.WriteString("\nRules that explain it (midwire explain RULE)\n")
		for _, id := range m.Rules() {
			b.WriteString("    " + id + "\n")
		}
	}
	if !f.Own() {
		b.WriteString("\nNo known SDK says exactly this.\n")
		return b.String()
	}
	b.WriteString("\nWho says it\n")
	for _, p := range f.Phrases {
		b.WriteString("    " + p.SDK + " " + p.Version + ": " + p.Text + "\n        " + where(p) + "\n")
		b.WriteString("        " + p.Repository + " " + p.File + "\n")
	}
	return b.String()
}

// where says with what status and code a phrase comes, and in which place.
func where(p *sdkwords.Phrase) string {
	var parts []string
	if p.Status != "-" {
		parts = append(parts, "HTTP "+p.Status)
	}
	if p.Code != "-" {
		parts = append(parts, "code "+p.Code)
	}
	places := map[string]string{
		"message": "in the error's message", "data": "in the error's data", "body": "in the response body",
		"header": "in a response header", "log": "in a log or error of the client or gateway, on standard error or in a tool result",
	}
	return strings.Join(append(parts, places[p.Place]), ", ")
}
