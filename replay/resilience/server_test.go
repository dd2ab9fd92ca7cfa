package resilience

import (
	"strings"
	"testing"
)

func TestJudgeServer(t *testing.T) {
	pranks := map[string]*Prank{}
	for _, p := range Pranks() {
		pranks[p.Name] = &p
	}
	good := Reply{Came: true, Same: true, Result: true, Alive: true}
	refused := Reply{Came: true, Same: true, Code: -32601, Text: "no", Alive: true}
	with := func(r Reply, change func(*Reply)) Reply { change(&r); return r }
	for _, c := range []struct {
		name  string
		reply Reply
		want  Verdict
		why   string
	}{
		{"no-initialized", good, Recovered, "serves"},
		{"no-initialized", refused, Told, "error -32601"},
		{"no-initialized", Reply{Alive: true}, Hung, "no response"},
		{"no-initialized", with(good, func(r *Reply) { r.Alive = false }), Hung, "answers nothing any more"},
		{"wrong-version", with(good, func(r *Reply) { r.Version, r.Asked = Version, "1999-01-01" }), Recovered, ""},
		{"wrong-version", with(good, func(r *Reply) { r.Version, r.Asked = "1999-01-01", "1999-01-01" }), Wrong, "nobody knows"},
		{"wrong-version", with(refused, func(r *Reply) { r.Alive = false }), Told, "refuses"},
		{"text-id", good, Recovered, ""},
		{"text-id", with(good, func(r *Reply) { r.Same = false }), Wrong, "another id"},
		{"repeated-id", Reply{Alive: true}, Hung, ""},
		{"cancelled-call", Reply{Alive: true}, Recovered, "goes on"},
		{"cancelled-call", Reply{}, Hung, ""},
		{"unknown-method", good, Wrong, "must refuse"},
		{"unknown-method", refused, Told, ""},
		{"garbage", Reply{Exited: true}, Wrong, "ended"},
		{"version-header", Reply{Came: true, Status: 400, Alive: true}, Told, "status 400"},
		{"no-session-header", Reply{Skipped: "it has none"}, NotApplicable, "it has none"},
	} {
		if got := JudgeServer(pranks[c.name], &c.reply, nil); got.Verdict != c.want || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s, %+v: %s: %s", c.name, c.reply, got.Verdict, got.Why)
		}
	}
}
