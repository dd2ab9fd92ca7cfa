package filter

import (
	"strings"

	"midwire/session/words"
)

// String writes the filter so that Parse reads the same again.
func (n *Node) String() string {
	if n == nil {
		return ""
	}
	switch n.Kind {
	case And, Or:
		var all []string
		for _, k := range n.Kids {
			s := k.String()
			if k.Kind == Or || k.Kind == And && n.Kind == And {
				s = "(" + s + ")"
			}
			all = append(all, s)
		}
		if n.Kind == Or {
			return strings.Join(all, " or ")
		}
		return strings.Join(all, " ")
	case Not:
		if k := n.Kids[0]; k.Kind == And || k.Kind == Or {
			return "!(" + k.String() + ")"
		}
		return "!" + n.Kids[0].String()
	}
	if n.Key == "" && n.Op == "" {
		return quote(n.Value, true)
	}
	return n.Key + n.Op + quote(n.Value, false)
}

// quote puts quotes around a value that needs them: text by itself, or what
// stands behind an operator.
func quote(v string, alone bool) string {
	if plainValue(v, alone) {
		return v
	}
	if !strings.Contains(v, `"`) {
		return `"` + v + `"`
	}
	if !strings.Contains(v, "'") {
		return "'" + v + "'"
	}
	return `"` + strings.ReplaceAll(v, `"`, `"'"'"`) + `"`
}

func plainValue(v string, alone bool) bool {
	if v == "" || strings.ContainsAny(v, " \t\n\r\"'()\\") || !alone && strings.HasPrefix(v, "//") {
		return false
	}
	if !alone {
		return v[0] != '=' // lat<=5 is another operator
	}
	if strings.ContainsAny(v, ":<>=~!@") || strings.ContainsAny(v[:1], "/-") {
		return false
	}
	switch words.Fold(v) {
	case "and", "or", "not":
		return false
	}
	return true
}

// Quote writes a value as it must stand behind an operator.
func Quote(v string) string { return quote(v, false) }
