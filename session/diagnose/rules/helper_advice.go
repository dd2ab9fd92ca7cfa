package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/evidence"
	"midwire/session/notes"
	"midwire/session/words"
)

//go:embed advice.md
var advicePage string

// advice is what follows from what a program says, or how an operation failed.
type advice struct {
	cause string
	fix   []diagnose.Remedy
	side  diagnose.Side // Unclear where the evidence alone does not show it
}

// advised are the sections of advice.md by name; TestAdvice reads it.
var advised = sync.OnceValue(func() map[string]advice {
	by, _ := readAdvice(advicePage)
	return by
})

// programs are the meanings that are sections of advice.md, in its order.
var programs = sync.OnceValue(func() []sdkwords.Meaning {
	at := func(m sdkwords.Meaning) int { return strings.Index(advicePage, "\n## "+m.String()+" |") }
	all := slices.DeleteFunc(sdkwords.Meanings(), func(m sdkwords.Meaning) bool { return at(m) < 0 })
	slices.SortFunc(all, func(a, b sdkwords.Meaning) int { return at(a) - at(b) })
	return all
})

// readAdvice reads sections: "## NAME | SIDE", the cause, and the list of remedies.
func readAdvice(page string) (map[string]advice, error) {
	by := map[string]advice{}
	for _, section := range strings.Split(page, "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n\n")
		name, side, _ := strings.Cut(heading, " | ")
		cause, list, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
		if _, twice := by[name]; twice || side == "" || cause == "" {
			return by, fmt.Errorf("the section %q is there twice, or not NAME | SIDE", heading)
		}
		a := advice{cause: cause}
		var err error
		if a.side, err = named(side, diagnose.Unclear, diagnose.Environment); err == nil && list != "" {
			a.fix, err = readRemedies(list)
		}
		if err != nil {
			return by, fmt.Errorf("%s: %w", heading, err)
		}
		by[name] = a
	}
	return by, nil
}

// advise gives a finding the cause and the remedies of that name, and the side where the
// section says one.
func advise(f *diagnose.Finding, name string) {
	why := advised()[name]
	f.Cause, f.Remedies = why.cause, why.fix
	if why.side > diagnose.Unclear {
		f.Side = why.side
	}
}

// withAdvice is a finding with the advice of that name.
func withAdvice(name string, f diagnose.Finding) diagnose.Finding {
	advise(&f, name)
	return f
}

// adviceOn is what follows from what a program said.
func adviceOn(said string) (advice, bool) {
	found := sdkwords.Program(said)
	for _, m := range programs() {
		if found.Means(m) {
			return advised()[m.String()], true
		}
	}
	return advice{}, false
}

// fixes are the remedies of a finding, the most important one first.
func fixes(all ...diagnose.Remedy) []diagnose.Remedy { return all }

func inClient(text string) diagnose.Remedy { return diagnose.Remedy{Side: diagnose.Client, Text: text} }

func inServer(text string) diagnose.Remedy { return diagnose.Remedy{Side: diagnose.Server, Text: text} }

func inGateway(text string) diagnose.Remedy {
	return diagnose.Remedy{Side: diagnose.Gateway, Text: text}
}

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

// Tell has a checker know what asking a server again came to, as the notes of the recording
// have it: it is evidence, and changes no finding.
func Tell(c *diagnose.Checker, n *notes.Notes) {
	var all []evidence.Again
	for k, a := range n.Asked() {
		one := evidence.Again{N: k.Frame, Says: a.Says, Tries: a.Tries, At: a.At}
		if a.Known && (a.Side == diagnose.Client.String() || a.Side == diagnose.Server.String()) {
			one.Side = a.Side
		}
		all = append(all, one)
	}
	c.Told(all)
}
