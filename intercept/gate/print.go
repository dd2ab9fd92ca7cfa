package gate

import (
	"strconv"
	"strings"
)

// String writes the rule so that ParseRule reads the same again.
func (r *Rule) String() string {
	var parts []string
	if r.When != nil {
		parts = append(parts, r.When.String())
	}
	switch n := r.Nth; {
	case n.Every > 0:
		parts = append(parts, "#every "+strconv.Itoa(n.Every))
	case n.First == 0:
	case n.Last == 0:
		parts = append(parts, "#"+strconv.Itoa(n.First)+"+")
	case n.Last == n.First:
		parts = append(parts, "#"+strconv.Itoa(n.First))
	default:
		parts = append(parts, "#"+strconv.Itoa(n.First)+"-"+strconv.Itoa(n.Last))
	}
	if r.Chance > 0 {
		parts = append(parts, "~"+strconv.FormatFloat(r.Chance, 'f', -1, 64)+"%")
	}
	if r.Seeded {
		parts = append(parts, "seed "+strconv.FormatUint(r.Seed, 10))
	}
	return strings.Join(append(parts, "=>", r.Do.String()), " ")
}

// String writes the action as it is parsed.
func (a *Action) String() string {
	args := a.print()
	if args == "" {
		return forms[a.Verb].name
	}
	return forms[a.Verb].name + " " + args
}

func (a *Action) print() string {
	switch a.Verb {
	case Delay:
		if a.Jitter > 0 {
			return a.For.String() + " jitter " + a.Jitter.String()
		}
		return a.For.String()
	case Reorder:
		return "within " + a.For.String()
	case Fail:
		return strconv.FormatInt(a.Code, 10) + " " + strconv.Quote(a.Text)
	case ToolError, Garbage, Noise:
		return strconv.Quote(a.Text)
	case Answer, Inject:
		return string(a.JSON)
	case Status:
		return a.printStatus()
	case ExpireSession, NoResume:
		return strconv.Itoa(a.Status)
	case Cut:
		switch {
		case a.Events >= 0:
			return "after " + strconv.Itoa(a.Events) + " events " + howNames[a.How]
		case a.Bytes > 0:
			return "after " + strconv.FormatInt(a.Bytes, 10) + " bytes " + howNames[a.How]
		}
		return howNames[a.How]
	case Set:
		return a.Path.String() + " " + string(a.JSON)
	case Remove:
		return a.Path.String()
	case SetHeader:
		return a.Fields[0].Name + ": " + a.Fields[0].Value
	case RemoveHeader:
		return a.Name
	case Duplicate, Truncate, Exit, Slice:
		return strconv.Itoa(a.Count)
	case Storm:
		return a.Method + " " + strconv.Itoa(a.Count) + " at " + strconv.FormatFloat(a.Rate, 'f', -1, 64) + "/s"
	case Huge:
		return strconv.FormatInt(a.Bytes, 10) + "B"
	case Bandwidth:
		return strconv.FormatInt(a.Bytes, 10) + "B/s"
	}
	return ""
}

func (a *Action) printStatus() string {
	out := []string{strconv.Itoa(a.Status)}
	for i, f := range a.Fields {
		if i > 0 {
			out = append(out, "&")
		}
		out = append(out, f.Name+": "+f.Value)
	}
	if a.Text != "" {
		if len(a.Fields) > 0 {
			out = append(out, "&")
		}
		out = append(out, "body "+strconv.Quote(a.Text))
	}
	return strings.Join(out, " ")
}
