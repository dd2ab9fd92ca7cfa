package ask

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// The names of the tools.
const (
	toolSessions = "midwire_sessions"
	toolDiagnose = "midwire_diagnose"
	toolExplain  = "midwire_explain"
	toolMessages = "midwire_messages"
	toolMessage  = "midwire_message"
	toolSearch   = "midwire_search"
	toolWait     = "midwire_wait"
	toolCompare  = "midwire_compare"
	toolTools    = "midwire_tools"
	toolReplay   = "midwire_replay"
)

// arguments are those of a question, to ask it again with a change.
func arguments(q any) map[string]any {
	raw, _ := json.Marshal(q)
	var args map[string]any
	_ = json.Unmarshal(raw, &args)
	return args
}

// offset reads a cursor that is a number.
func offset(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 {
		return 0, mistakef("cursor %q: take it from next of the page before, or leave it out for the first page", cursor)
	}
	return n, nil
}

// moment reads how long ago or when; nothing is the beginning of time.
func moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-d), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, mistakef("since %q: write 10m, 2h or 2026-11-21T10:15:00Z", text)
	}
	return t, nil
}

// Mistake is an error that who asks corrects by asking otherwise.
type Mistake struct{ error }

// Unwrap returns the error itself.
func (m Mistake) Unwrap() error { return m.error }

func mistakef(format string, a ...any) error { return Mistake{fmt.Errorf(format, a...)} }
