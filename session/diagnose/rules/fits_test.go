package rules

import (
	"regexp"
	"strings"
	"testing"
)

// TestFits compares it with what a pattern of the template says.
func TestFits(t *testing.T) {
	for _, uri := range []string{"", "a", "w://", "w://a", "w://a/b", "w://a/b.md", "w://.md", "w://a.md.md", "x://a", "aaab", "aab", "ab"} {
		for _, template := range []string{"w://{p}", "w://{p}.md", "w://{p}/{q}", "w://{p}/{q}.md", "a{x}a{y}", "{x}", "{x}b", "a{x}b", "w://a", ""} {
			pattern := strings.NewReplacer(`\{x\}`, "(.+)", `\{y\}`, "(.+)", `\{p\}`, "(.+)", `\{q\}`, "(.+)").Replace(regexp.QuoteMeta(template))
			want := strings.Contains(template, "{") && regexp.MustCompile("^"+pattern+"$").MatchString(uri)
			if got := fits(uri, simpleVariable().Split(template, -1)); got != want {
				t.Errorf("%q, %q: %v", uri, template, got)
			}
		}
	}
	many := strings.Repeat("{a}/", 1<<17) // a pattern with as many groups takes minutes
	if fits("w://"+strings.Repeat("b/", 1<<12), simpleVariable().Split(many, -1)) {
		t.Error("it fits")
	}
}
