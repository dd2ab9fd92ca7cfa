package launch

import (
	"fmt"
	"strings"
)

// Shells are those that Script writes for.
var Shells = []string{"sh", "fish", "powershell"}

// Script is what sets the variables in a shell.
func Script(shell string, settings []Setting) string {
	var b strings.Builder
	for _, s := range settings {
		switch shell {
		case "fish":
			v := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s.Value)
			fmt.Fprintf(&b, "set -gx %s '%s'\n", s.Name, v)
		case "powershell":
			fmt.Fprintf(&b, "$env:%s = '%s'\n", s.Name, strings.ReplaceAll(s.Value, "'", "''"))
		default:
			fmt.Fprintf(&b, "export %s='%s'\n", s.Name, strings.ReplaceAll(s.Value, "'", `'\''`))
		}
	}
	return b.String()
}
