package hub

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"midwire/intercept/hub/plan"
	"midwire/session/record/redact"
)

// maxText bounds a text of the hub's own that quotes a peer.
const maxText = 4 << 10

// shown is a text about a server as it may leave the hub, by whichever exit: an
// answer, the state of a session, the log, a recording, the terminal. The values of
// variables, of the environment and of headers are not in it, nor the query of its
// URL, nor what says itself that it is a credential. The text is short.
func shown(p *plan.Part, text string) string {
	hidden := maps.Clone(p.Hidden)
	if u, err := url.Parse(p.URL); err == nil && u.RawQuery != "" {
		if hidden == nil {
			hidden = map[string]string{}
		}
		hidden[u.RawQuery] = "…"
	}
	return redact.Text(clip(withoutValues(text, hidden)))
}

// withoutValues replaces values in a text, also where they are escaped. One value may
// be part of another: the longest goes first.
func withoutValues(text string, hidden map[string]string) string {
	for _, value := range slices.SortedFunc(maps.Keys(hidden), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	}) {
		quoted := strconv.Quote(value)
		for _, as := range []string{value, url.QueryEscape(value), url.PathEscape(value), quoted[1 : len(quoted)-1]} {
			text = strings.ReplaceAll(text, as, hidden[value])
		}
	}
	return text
}

// clip shortens a text that a peer may have made long.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

func shownLine(p *plan.Part) (line []string) {
	for _, word := range redact.Args(p.Command) {
		line = append(line, shown(p, word))
	}
	return line
}

func shownAll(p *plan.Part, all []string) (out []string) {
	for _, text := range all {
		out = append(out, shown(p, text))
	}
	return out
}

// Shown is where a server is, or why it is not there, as it may be shown.
func Shown(p *plan.Part) string {
	switch {
	case p.Reason != "":
		return "not there: " + shown(p, p.Reason)
	case p.Context == plan.Remote:
		return shown(p, p.URL)
	}
	return strings.Join(shownLine(p), " ")
}
