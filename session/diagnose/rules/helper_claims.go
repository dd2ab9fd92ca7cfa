package rules

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"midwire/session/words"
)

// claimsTable counts by hand what first findings said about failures that the rules were not
// written for: a line a rule, with tabs.
//
//go:embed claims.tsv
var claimsTable string

var claims = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(claimsTable) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		n := make([]int, len(f))
		for i := range f {
			n[i], _ = strconv.Atoi(f[i])
		}
		if len(f) == 5 && n[1] > 0 {
			all[f[0]] = "First finding of " + words.Count(n[1], "failure") + " that no rule was written for: right in " + f[2] +
				", true but not the cause in " + f[3] + ", false in " + f[4] + "."
		}
	}
	return all
})
