package export

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/safe"
)

// FindingsJUnit writes entries as a JUnit report: a suite for each recording, a
// case for each rule, failed when it found something at the level fail or
// worse.
func FindingsJUnit(all []Found, checked []Checked, rules []*diagnose.Rule, fail diagnose.Severity) (string, error) {
	type failure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Failure *failure `xml:"failure,omitempty"`
		Out     string   `xml:"system-out,omitempty"`
	}
	type property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	type suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Verdicts []property `xml:"properties>property,omitempty"`
		Cases    []testcase `xml:"testcase"`
	}
	type suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}
	var out suites
	for _, c := range checked {
		s := suite{Name: "midwire check " + safe.Clean(c.ID)}
		a, _ := AccountOf([]Checked{c})
		s.Verdicts = append(s.Verdicts, property{"verdict", safe.Clean(a.String())})
		for i, v := range c.Verdicts {
			s.Verdicts = append(s.Verdicts, property{"session " + strconv.Itoa(i+1), safe.Clean(v.String())})
		}
		for _, r := range rules {
			one := testcase{Name: r.ID, Class: "midwire." + safe.Clean(c.ID)}
			text, first, bad := "", "", false
			for _, e := range all {
				if e.Recording == c.ID && e.Rule == r.ID {
					text += e.Severity + " " + FrameList(e.Frames) + ": " + safe.Clean(e.Message) + "\n"
					for _, part := range findingParts(&e) {
						text += part[0] + ": " + safe.Clean(part[1]) + "\n"
					}
					for _, l := range e.Evidence {
						text += "Seen: " + safe.Clean(l.Text) + "\n"
					}
					e.walkBelow(func(f *Found, _ int) {
						text += "Consequence: " + f.Rule + " " + FrameList(f.Frames) + ": " + safe.Clean(f.Message) + "\n"
					})
					bad = bad || e.Level <= fail && !e.Excused
					first = cmp.Or(first, safe.Clean(e.Message))
				}
			}
			switch {
			case bad:
				one.Failure = &failure{Message: first, Type: r.Severity.String(), Text: text}
				s.Failures++
			default:
				one.Out = text
			}
			s.Cases = append(s.Cases, one)
		}
		s.Tests = len(s.Cases)
		out.Suites = append(out.Suites, s)
	}
	raw, err := xml.MarshalIndent(out, "", "  ")
	return xml.Header + string(raw) + "\n", err
}

// The parts of SARIF 2.1.0 that are used.
type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifFile struct {
		Location map[string]string `json:"location"`
		About    sarifText         `json:"description"`
	}
	sarifRule struct {
		ID      string            `json:"id"`
		Short   sarifText         `json:"shortDescription"`
		Full    sarifText         `json:"fullDescription"`
		Help    sarifText         `json:"help"`
		HelpURI string            `json:"helpUri,omitempty"`
		Default map[string]string `json:"defaultConfiguration"`
	}
	sarifPlace struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine uint64 `json:"startLine"`
			} `json:"region"`
		} `json:"physicalLocation"`
		Message *sarifText `json:"message,omitempty"`
	}
	sarifResult struct {
		RuleID     string         `json:"ruleId"`
		Level      string         `json:"level"`
		Message    sarifText      `json:"message"`
		Locations  []sarifPlace   `json:"locations"`
		Related    []sarifPlace   `json:"relatedLocations,omitempty"`
		Properties map[string]any `json:"properties"`
	}
)

func ruleHelp(r *diagnose.Rule) string {
	var parts []string
	for _, part := range ruleParts(r) {
		parts = append(parts, part[0]+": "+part[1])
	}
	return strings.Join(parts, "\n\n")
}

func sarifMessage(e *Found) string {
	var text strings.Builder
	text.WriteString(e.Message)
	for _, part := range findingParts(e) {
		text.WriteString(" " + part[0] + ": " + part[1])
	}
	return text.String()
}

func sarifURI(recording string) string { return strings.ReplaceAll(recording, " ", "%20") + ".jsonl" }

// sarifAt is where a frame stands. A recording has one line for its header and then one
// for each frame, so that frame n stands in line n+1.
func sarifAt(recording string, n uint64, says string) sarifPlace {
	var p sarifPlace
	p.Physical.Artifact.URI = sarifURI(recording)
	p.Physical.Region.StartLine = n + 1
	if says != "" {
		p.Message = &sarifText{says}
	}
	return p
}

// addLocations puts frames into a result: the first is its place, the others are related.
func (r *sarifResult) addLocations(recording string, frames []uint64) {
	for i, n := range frames {
		if i == 0 {
			r.Locations = append(r.Locations, sarifAt(recording, n, ""))
			continue
		}
		r.Related = append(r.Related, sarifAt(recording, n, "frame #"+strconv.FormatUint(n, 10)))
	}
}

// FindingsSARIF writes entries as SARIF 2.1.0: each recording that was checked is an
// artifact, whose description is its first line.
func FindingsSARIF(all []Found, checked []Checked, rules []*diagnose.Rule, version string) (string, error) {
	described := []sarifRule{}
	for _, r := range rules {
		described = append(described, sarifRule{
			ID: r.ID, Short: sarifText{r.Title}, Full: sarifText{r.Help().Means},
			Help:    sarifText{ruleHelp(r)},
			HelpURI: mcp.SpecURL(r.Help().Spec, ""),
			Default: map[string]string{"level": r.Severity.String()},
		})
	}
	results := []sarifResult{}
	for _, e := range all {
		one := sarifResult{
			RuleID: e.Rule, Level: e.Severity, Message: sarifText{sarifMessage(&e)},
			Locations:  []sarifPlace{},
			Properties: map[string]any{"known": e.Known, "responsible": e.Responsible, "session": e.Session, "count": e.Count},
		}
		if e.Verdict != "" {
			one.Properties["verdict"], one.Properties["fails"] = e.Verdict, e.Fails
		}
		if len(e.Evidence) > 0 {
			one.Properties["evidence"] = e.Evidence
		}
		one.addLocations(e.Recording, e.Frames)
		e.walkBelow(func(f *Found, _ int) {
			if len(f.Frames) > 0 {
				one.Related = append(one.Related, sarifAt(f.Recording, f.Frames[0], f.Rule+" follows from this: "+f.Message))
			}
		})
		results = append(results, one)
	}
	files := []sarifFile{}
	for i := range checked {
		a, _ := AccountOf(checked[i : i+1])
		place := map[string]string{"uri": sarifURI(checked[i].ID)}
		files = append(files, sarifFile{place, sarifText{safe.Clean(a.String())}})
	}
	return sarif(version, described, results, files)
}

// Problem is what a report in SARIF says that is no finding of a rule: of a test.
type Problem struct {
	Rule, Title, HelpURI string // of what was checked
	Level                string // error, warning or note
	Text                 string
	Recording            string
	Frames               []uint64 // in it
}

// ProblemsSARIF writes problems as SARIF 2.1.0.
func ProblemsSARIF(all []Problem, version string) (string, error) {
	described, results := []sarifRule{}, []sarifResult{}
	known := map[string]bool{}
	for _, p := range all {
		if !known[p.Rule] {
			known[p.Rule] = true
			described = append(described, sarifRule{
				ID: p.Rule, HelpURI: p.HelpURI,
				Short: sarifText{p.Title}, Full: sarifText{p.Title}, Help: sarifText{p.Title},
				Default: map[string]string{"level": p.Level},
			})
		}
		one := sarifResult{RuleID: p.Rule, Level: p.Level, Message: sarifText{p.Text}}
		one.Locations, one.Properties = []sarifPlace{}, map[string]any{}
		one.addLocations(p.Recording, p.Frames)
		results = append(results, one)
	}
	return sarif(version, described, results, []sarifFile{})
}

func sarif(version string, rules []sarifRule, results []sarifResult, files []sarifFile) (string, error) {
	return SafeJSON(map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []any{map[string]any{
			"tool":    map[string]any{"driver": map[string]any{"name": "midwire", "version": version, "rules": rules}},
			"results": results, "artifacts": files,
		}},
	})
}
