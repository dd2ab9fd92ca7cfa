package ask

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/words"
)

// inWords are verdicts that are not words as they stand.
var inWords = map[string]string{
	diagnose.Impaired.String():  "works, but not all of it",
	diagnose.OnPurpose.String(): "made to fail on purpose, by midwire",
}

// Markdown implements Result.
func (d *Diagnosis) Markdown(shell bool) string {
	b := page{shell: shell}
	head := "Session " + safe.Clean(d.Session.Ref)
	if d.Chosen != "" {
		head += " (" + d.Chosen + ")"
	}
	b.line(head, ": ", cmp.Or(inWords[d.Session.Verdict], d.Session.Verdict, d.Session.State), ".")
	b.line(data)
	b.fence(d.Session.line())
	if d.Trouble != "" {
		b.line("The recording: ", d.Trouble, ".")
	}
	if d.Cause == nil {
		b.line("No findings: midwire knows nothing that is wrong here. What a tool made of its arguments is in the messages.")
	} else {
		d.Cause.markdown(&b)
	}
	if len(d.Others) > 0 {
		b.line("\nOther findings (", strconv.Itoa(len(d.Others)+d.More), "):")
		b.fence(briefs(d.Others))
		if d.More > 0 {
			b.line(strconv.Itoa(d.More), " more are left out: `midwire check ", safe.Clean(d.Session.Recording), "` prints all.")
		}
	}
	if d.Elsewhere > 0 {
		b.line(words.Count(d.Elsewhere, "finding"), " of other sessions of this recording: ask for ", safe.Clean(d.Session.Recording), ".")
	}
	b.calls(d.Next)
	return b.String()
}

// markdown leads with what midwire knows by itself; what it says of this
// recording holds names and quotes, and is fenced.
func (f *Finding) markdown(b *page) {
	b.line("\n## Cause: ", f.Title, " (", f.Rule, ", ", f.Severity, ")")
	b.line("Responsible side: **", f.Responsible, "** (", f.Confidence, "). Evidence: ", frameList(f.Frames), where(f), ".")
	if f.ByGate {
		b.line("Made on purpose: midwire's gate touched this evidence.")
	}
	b.line("Meaning: ", f.Meaning)
	b.line("How to fix it: ", cmp.Or(f.usualFix, f.Fix))
	if f.Spec != "" {
		b.line("Specification: ", f.Spec)
	}
	b.line("In this recording:")
	text := "What: " + f.Message + "\nLikely cause: " + f.Cause
	if f.Fix != f.usualFix {
		text += "\nFix: " + f.Fix
	}
	b.fence(text)
	for _, q := range f.Evidence {
		more := ""
		if q.Cut {
			more = ", its beginning"
		}
		b.line(fmt.Sprintf("#%d %s %s, %d bytes%s:", q.Frame, q.Kind, q.Dir, q.Bytes, more))
		b.fence(q.Text)
	}
	if len(f.Consequences) > 0 {
		b.line("Follows from it:")
		b.fence(briefs(f.Consequences))
	}
}

func where(f *Finding) string {
	text := ""
	if f.Session > 0 {
		text = " of session " + strconv.Itoa(f.Session)
	}
	if f.Count > 1 {
		text += ", " + strconv.Itoa(f.Count) + " times"
	}
	return text
}

func frameList(frames []uint64) string {
	var all []string
	for _, n := range frames {
		all = append(all, "#"+strconv.FormatUint(n, 10))
	}
	return strings.Join(all, " ")
}

// briefs are findings, a line each.
func briefs(all []Brief) string {
	var b strings.Builder
	for _, f := range all {
		times := ""
		if f.Count > 1 {
			times = fmt.Sprintf(" ×%d", f.Count)
		}
		at := ""
		if f.Session > 0 {
			at = fmt.Sprintf(" session %d", f.Session)
		}
		fmt.Fprintf(&b, "%s %s%s (%s)%s %s: %s\n", f.Severity, f.Rule, times, f.Responsible, at, frameList(f.Frames), f.Message)
	}
	return b.String()
}
