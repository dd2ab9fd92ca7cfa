package rules

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

//go:embed help/*.md
var pages embed.FS

// pageOf is the page of a rule in help: its data between two lines ---, then its help.
func pageOf(id string) string {
	data, _ := pages.ReadFile("help/" + id + ".md") // TestCatalogue misses what is not there
	return string(data)
}

// load fills in what the page of a rule says of it. Its help is read at the first use.
func load(r *diagnose.Rule, page func(id string) string) error {
	r.Page = sync.OnceValue(func() diagnose.Help {
		h, _ := readHelp(page(r.ID)) // TestPages reads all of them
		h.Claims = claims()[r.ID]
		return h
	})
	head, _, ok := strings.Cut(page(r.ID), "\n---\n")
	if head, found := strings.CutPrefix(head, "---\n"); found && ok {
		return readHead(r, head)
	}
	return errors.New("the page does not begin with its data between two lines ---")
}

// readHead reads lines KEY: VALUE. A line that begins with # is a comment.
func readHead(r *diagnose.Rule, head string) error {
	seen := map[string]bool{}
	for line := range strings.SplitSeq(head, "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		if seen[key] || value == "" {
			return fmt.Errorf("%q is not KEY: VALUE, or its key is there twice", line)
		}
		seen[key] = true
		if err := set(r, key, value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	for _, key := range []string{"title", "brief", "severity", "side"} {
		if !seen[key] {
			return errors.New("the key " + key + " is missing")
		}
	}
	if seen["step"] != seen["does"] {
		return errors.New("step and does belong together")
	}
	return nil
}

func set(r *diagnose.Rule, key, value string) (err error) {
	if name, ok := strings.CutPrefix(key, "says"); ok {
		made(&r.Says)[strings.TrimPrefix(name, " ")] = value
		return diagnose.CheckSays(value)
	}
	switch key {
	case "title":
		r.Title = value
	case "brief":
		r.Brief = value
	case "severity":
		r.Severity, err = named(value, diagnose.Error, diagnose.Note)
	case "side":
		r.Side, err = named(value, diagnose.Unclear, diagnose.Midwire)
	case "configured":
		r.Configured, err = strconv.ParseBool(value)
	case "seen":
		r.Seen, err = strconv.ParseBool(value)
	case "era":
		r.Era, err = named(value, diagnose.Handshake, diagnose.Modern)
	case "from":
		r.From, err = version(value)
	case "to":
		r.To, err = version(value)
	case "header":
		r.Header = value
	case "covers":
		r.Covers = strings.Split(value, ", ")
	case "ask":
		if r.Ask = value; value != "auth" {
			err = errors.New("no such command")
		}
	case "manner":
		r.Manner, err = strconv.ParseBool(value)
	case "fallback":
		r.Fallback, err = strconv.Atoi(value)
	case "step":
		right(r).Step = value
	case "does":
		right(r).Does = value
	default:
		err = errors.New("no such key")
	}
	return err
}

func right(r *diagnose.Rule) *diagnose.Right {
	if r.Right == nil {
		r.Right = &diagnose.Right{}
	}
	return r.Right
}

// named is the one of first to last whose name is value.
func named[T interface {
	~uint8
	String() string
}](value string, first, last T) (T, error) {
	for v := first; v <= last; v++ {
		if v.String() == value {
			return v, nil
		}
	}
	return 0, fmt.Errorf("unknown value %q", value)
}

func version(value string) (mcp.Version, error) {
	if v := mcp.Version(value); v.IsPublished() {
		return v, nil
	}
	return "", fmt.Errorf("%q is no protocol version", value)
}

// headings are those of the sections of a page, in their order.
var headings = []string{"Meaning", "On the wire", "Cause", "How to fix it", "Specification", "Example"}

// readHelp reads the sections of a page. Texts are taken as they stand; the example is
// in a fence.
func readHelp(page string) (diagnose.Help, error) {
	var texts [6]string
	last := -1
	_, page, _ = strings.Cut(page, "\n---\n")
	for section := range strings.SplitSeq("\n"+strings.TrimSpace(page), "\n## ") {
		heading, text, _ := strings.Cut(section, "\n")
		if heading == "" {
			continue // before the first one
		}
		if heading == "Often" { // in place of the cause, where that is not known
			heading = "Cause"
		}
		i := slices.Index(headings, heading)
		if i <= last {
			return diagnose.Help{}, fmt.Errorf("the section %q is unknown, or not in its place", heading)
		}
		last, texts[i] = i, strings.TrimSpace(text)
	}
	h := diagnose.Help{Means: texts[0], Wire: texts[1], Cause: texts[2], Spec: texts[4]}
	h.Example = strings.TrimSuffix(strings.TrimPrefix(texts[5], "```\n"), "\n```")
	for i, text := range texts {
		if text == "" {
			return h, errors.New("the section " + headings[i] + " is missing")
		}
	}
	var err error
	h.Remedies, err = readRemedies(texts[3])
	return h, err
}

// readRemedies reads a list of "- SIDE: TEXT", or of "- SIDE or SIDE: TEXT".
func readRemedies(list string) (all []diagnose.Remedy, err error) {
	for line := range strings.SplitSeq(list, "\n") {
		who, text, _ := strings.Cut(line, ": ")
		who, ok := strings.CutPrefix(who, "- ")
		if !ok || text == "" {
			return nil, fmt.Errorf("%q is not - SIDE: TEXT", line)
		}
		for name := range strings.SplitSeq(who, " or ") {
			side, err := remedySide(name)
			if err != nil {
				return nil, err
			}
			all = append(all, diagnose.Remedy{Side: side, Text: text})
		}
	}
	return all, nil
}

func remedySide(name string) (diagnose.Side, error) {
	switch name {
	case "anyone":
		return diagnose.Unclear, nil
	case "responsible":
		return diagnose.Responsible, nil
	}
	return named(name, diagnose.Client, diagnose.AuthServer)
}
