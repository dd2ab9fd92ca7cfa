// Package prune deletes old recordings by age and total size. It never touches a
// recording that a proxy is writing, that has a name, a mark or a comment, or that
// it cannot read.
package prune

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"midwire/session/words"
)

// Rule says which recordings may go. The zero value lets none go.
type Rule struct {
	Older time.Duration // those that nothing was written to for longer; 0: age does not count
	Keep  int64         // the oldest, until those that may go take no more bytes, and copies as many; < 0: no limit
	sized bool
}

// IsZero reports whether the rule lets nothing go.
func (r Rule) IsZero() bool { return r.Older == 0 && !r.sized }

// ParseRule reads a rule as people write it: an age like 30d, 2w or 12h, and a
// size like 2GiB or 500MB. Either may be empty.
func ParseRule(older, keep string) (Rule, error) {
	var r Rule
	var err error
	if older != "" {
		if r.Older, err = age(older); err != nil {
			return Rule{}, err
		}
	}
	if keep != "" {
		if r.Keep, err = size(keep); err != nil {
			return Rule{}, err
		}
		r.sized = true
	}
	return r, nil
}

func age(text string) (time.Duration, error) {
	units := []struct {
		name string
		is   time.Duration
	}{{"d", 24 * time.Hour}, {"w", 7 * 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}}
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if n, err := strconv.ParseUint(number, 10, 32); ok && err == nil && n > 0 && n < uint64(math.MaxInt64/u.is) {
			return time.Duration(n) * u.is, nil
		}
	}
	return 0, fmt.Errorf("%q is not an age: use a number of days, weeks, hours or minutes, like 30d, 4w, 12h, 90m", text)
}

var sizes = []struct {
	name string
	is   float64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"K", 1 << 10},
	{"M", 1 << 20},
	{"G", 1 << 30},
	{"T", 1 << 40},
	{"B", 1},
}

func size(text string) (int64, error) {
	for _, u := range sizes {
		if len(text) <= len(u.name) || !words.Equal(text[len(text)-len(u.name):], u.name) {
			continue
		}
		number := strings.TrimSpace(text[:len(text)-len(u.name)])
		if strings.Trim(number, "0123456789.") != "" {
			break
		}
		if n, err := strconv.ParseFloat(number, 64); err == nil && n*u.is < math.MaxInt64 {
			return int64(n * u.is), nil
		}
	}
	return 0, fmt.Errorf("%q is not a size: use a number of bytes with a unit, like 500MB or 2GiB", text)
}

// Bytes writes a size as a person would: 340 B, 1.2 MiB.
func Bytes(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/(1<<10), 0
	for ; f >= 999.95 && unit < 3; unit++ {
		f /= 1 << 10
	}
	return fmt.Sprintf("%.1f %s", f, sizes[unit].name)
}
