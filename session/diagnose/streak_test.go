package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestStreaks: a streak goes on with the same outcome, and ends with another one or
// with progress.
func TestStreaks(t *testing.T) {
	var counts []int
	rule := &Rule{ID: "again", On: Requests | Results | Errors, Check: func(c *Case) {
		outcome := uint64(0)
		if c.Message.Error != nil {
			outcome = 1
		}
		s := c.Again(c.Session.Index, 7, outcome)
		counts = append(counts, s.Count)
		if s.Count == 2 {
			c.Progress(c.Session.Index, 7)
		}
	}}
	find(t, calls, rule)
	if want := []int{1, 2, 1, 1, 1, 2}; !slices.Equal(counts, want) {
		t.Errorf("got %v want %v", counts, want)
	}
}

// TestStreaksAreBounded: of many streaks the latest are kept, and of a long one the
// first frame and the latest.
func TestStreaksAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("tap stdio\n")
	for i := range maxStreaks + 100 {
		fmt.Fprintf(&text, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n", i)
	}
	kept, frames := 0, []uint64(nil)
	find(t, text.String(), &Rule{ID: "again", On: Requests, Check: func(c *Case) {
		c.Again(-1, c.N, 0)
		frames = c.Again(0, 0, 0).Frames
		kept = len(c.checker.streaks.byKey)
	}})
	n := uint64(maxStreaks + 100)
	if kept != maxStreaks || len(frames) != maxStreakFrames || frames[len(frames)-1] != n {
		t.Errorf("%d streaks are kept; frames %v", kept, frames)
	}
}
