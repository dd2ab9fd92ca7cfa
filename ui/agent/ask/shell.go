package ask

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// twin is the command that is the twin of a tool.
type twin struct {
	command    string
	arguments  []string          // that stand by themselves, in order
	flags      map[string]string // by argument
	unlessMore string            // flag that is needed where no other is
}

var twins = map[string]twin{
	toolSessions: {command: "ls --json"},
	toolDiagnose: {command: "diagnose", arguments: []string{"session"}, flags: map[string]string{"own": "--own"}},
	toolExplain:  {command: "explain", arguments: []string{"rule"}},
	toolMessages: {command: "show", arguments: []string{"session"}, unlessMore: "--limit 40", flags: map[string]string{
		"filter": "--filter", "around": "--around", "limit": "--limit", "cursor": "--cursor",
	}},
	toolMessage: {command: "show", arguments: []string{"session", "frame"}, flags: map[string]string{
		"path": "--path", "offset": "--offset", "max_bytes": "--max-bytes", "raw": "--raw",
	}},
	toolSearch: {command: "search", arguments: []string{"text"}, flags: map[string]string{
		"regexp": "--regexp", "session": "--in", "limit": "--limit", "cursor": "--cursor", "own": "--own",
	}},
	toolWait: {command: "wait", arguments: []string{"session"}, flags: map[string]string{
		"for": "--for", "since": "--since", "timeout_s": "--timeout",
	}},
	toolCompare: {command: "diff --json", arguments: []string{"a", "b"}, flags: map[string]string{
		"gateway": "--gateway", "limit": "--limit", "cursor": "--cursor",
	}},
	toolTools: {command: "tools", arguments: []string{"session"}, flags: map[string]string{
		"limit": "--limit", "cursor": "--cursor",
	}},
	toolReplay: {command: "replay", arguments: []string{"session"}, flags: map[string]string{"to": "--to", "yes": "--yes"}},
}

// text is a call as a model makes it, or as a shell does.
func (c *Call) text(shell bool) string {
	t, ok := twins[c.Tool]
	if !shell || !ok {
		args, _ := json.Marshal(c.Arguments)
		return c.Tool + " " + string(args)
	}
	line := "midwire " + t.command
	for _, name := range t.arguments {
		if v, ok := c.Arguments[name]; ok {
			line += " " + quoted(v)
		}
	}
	more := ""
	for _, name := range sorted(t.flags) {
		switch v := c.Arguments[name].(type) {
		case nil:
		case bool:
			if v {
				more += " " + t.flags[name]
			}
		default:
			more += " " + t.flags[name] + " " + quoted(v)
		}
	}
	if more == "" && t.unlessMore != "" {
		more = " " + t.unlessMore
	}
	if command, ok := c.Arguments["command"].([]any); ok {
		more += " --"
		for _, word := range command {
			more += " " + quoted(word)
		}
	}
	return line + more
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_./:@=,+-]+$`)

// quoted is a value as a word of a POSIX shell.
func quoted(v any) string {
	s := fmt.Sprint(v)
	if f, ok := v.(float64); ok {
		s = fmt.Sprint(int64(f))
	}
	if bare.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Shell is a text with the names of commands in the place of those of tools.
func Shell(text string) string {
	for tool, t := range twins {
		command, _, _ := strings.Cut(t.command, " ")
		text = strings.ReplaceAll(text, tool+" ", "midwire "+command+" ")
	}
	return text
}
