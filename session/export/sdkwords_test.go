package export

import (
	"testing"

	"midwire/session/diagnose/rules"
	"midwire/session/diagnose/sdkwords"
)

// TestMeaningsNameRules: what midwire explain names below a text is a rule.
func TestMeaningsNameRules(t *testing.T) {
	for _, m := range sdkwords.Meanings() {
		if len(m.Rules()) == 0 || m.Says() == "" {
			t.Errorf("%s has no rule, or no sentence", m)
		}
		for _, id := range m.Rules() {
			if rules.Find(id) == nil {
				t.Errorf("%s names %s, which is no rule", m, id)
			}
		}
	}
}
