package ui

import (
	_ "embed"
	"testing"
	"testing/synctest"

	"midwire/session/diagnose/rules"
)

//go:embed testdata/transcripts/seen.txt
var seenSession string

//go:embed testdata/transcripts/cause.txt
var causeSession string

// TestAccountScreens: a list opens at its first failure with all of what was seen below it or, on wide
// screens, beside it; where the cause is known it stands with the fix whole above its two proofs.
func TestAccountScreens(t *testing.T) {
	for name, text := range map[string]string{"seen": seenSession, "cause": causeSession} {
		tap := map[string]string{"seen": "stdio", "cause": "http"}[name]
		opened := func(t *testing.T, w, h int) *driver {
			s := newFakeSource()
			s.recs[name] = framesOf(t, text)
			s.ch <- Batch{Recordings: []Recording{{ID: name, Label: "shop", Tap: tap, Where: "node shop.mjs", Started: started()}}}
			d := drive(t, s, Options{rules: rules.All()}, w, h)
			d.press("enter")
			s.ch <- Batch{Loading: map[string]float64{name: 1}}
			d.send()
			return d
		}
		screens(t, "account-"+name, opened)
		synctest.Test(t, func(t *testing.T) { golden(t, "account-"+name+"-200x50", opened(t, 200, 50).screen()) })
	}
}

// TestOpensAtTheFirstFailure: of a recording with several sessions too, and with the account of the one
// that failed, not of the first.
func TestOpensAtTheFirstFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		s.recs["r"] = framesOf(t, manyClients(3))
		s.ch <- Batch{Recordings: []Recording{{ID: "r", Label: "workbench", Tap: "http", Where: "x", Started: started()}}}
		d := drive(t, s, Options{rules: rules.All()}, 120, 36)
		d.press("enter")
		s.ch <- Batch{Loading: map[string]float64{"r": 1}}
		d.send()
		d.want(", the first failure", "fix my-agent", "id left out")
	})
}
