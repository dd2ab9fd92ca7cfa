package rules

import (
	"strings"
	"testing"
)

// TestClaims: the page of a rule that was the first answer to failures nobody had seen says how
// often it was right, and the table names rules that there are.
func TestClaims(t *testing.T) {
	if got := Find("server-exited").Help().Claims; !strings.Contains(got, "9 failures") || !strings.Contains(got, "false in 4") {
		t.Errorf("server-exited: %q", got)
	}
	for id := range claims() {
		if Find(id) == nil {
			t.Errorf("claims.tsv has a line of %s, which is no rule", id)
		}
	}
}
