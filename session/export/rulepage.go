package export

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

// RuleList writes every rule in a line, for people.
func RuleList(rules []*diagnose.Rule) string {
	rows := [][]string{{"RULE", "LEVEL", "SIDE", "PROTOCOL", "WHAT"}}
	for _, r := range rules {
		rows = append(rows, []string{r.ID, r.Severity.String(), r.Side.String(), r.Versions(), r.Title})
	}
	return align(rows)
}

// RuleText explains a rule, for people.
func RuleText(r *diagnose.Rule) string {
	var b strings.Builder
	b.WriteString(r.ID + "\n" + r.Title + ".\n\n")
	side := "responsible side: " + r.Side.String()
	if r.Seen {
		side = "no side: it says what was seen, and knows no cause"
	}
	b.WriteString("Level " + r.Severity.String() + ", " + side + ", protocol versions: " + r.Versions() + "\n")
	for _, part := range ruleParts(r) {
		if part[1] != "" {
			b.WriteString("\n" + part[0] + "\n")
			paragraph(&b, "", part[1])
		}
	}
	if url := mcp.SpecURL(r.Help().Spec, ""); url != "" {
		b.WriteString("    " + url + "\n")
	}
	example := r.Help().Example
	if example != "" {
		b.WriteString("\nExample\n")
	}
	for line := range strings.Lines(example) {
		b.WriteString("    " + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

func ruleParts(r *diagnose.Rule) (parts [][2]string) {
	h, cause, fix := r.Help(), headCause, r.Help().Fix()
	if r.Seen || r.Side == diagnose.Unclear {
		cause = "Often"
	}
	if r.Seen {
		fix = ""
	}
	for _, part := range [][2]string{
		{headMeaning, h.Means}, {"On the wire", h.Wire}, {cause, h.Cause}, {headFix, fix}, {"Measured", h.Claims}, {headSpec, h.Spec},
	} {
		if part[1] != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
