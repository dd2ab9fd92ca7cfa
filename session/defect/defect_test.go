package defect

import (
	"errors"
	"strings"
	"testing"
)

func slip(list []int, i int) int { return list[i] }

func TestGuard(t *testing.T) {
	if d := Guard("a unit", 1, func() {}); d != nil {
		t.Fatal(d)
	}
	index := 3
	d := Guard("the rule x", 12, func() { slip([]int{1}, index) })
	if d == nil || d.Unit != "the rule x" || d.Frame != 12 || !strings.Contains(d.What, "index out of range [3]") {
		t.Fatalf("%+v", d)
	}
	if first, _, _ := strings.Cut(d.Stack, "\n"); !strings.Contains(first, "defect.slip (defect/defect_test.go:") {
		t.Errorf("the stack does not begin where it panicked:\n%s", d.Stack)
	}
	again := Guard("another unit", 13, func() { slip([]int{1}, index) })
	if again.Key() == d.Key() { // another line called it
		t.Error("two places have one key")
	}
	var err error = d
	if !errors.As(err, new(*Defect)) || !strings.Contains(err.Error(), "the rule x failed at #12") {
		t.Error(err)
	}
	if page := d.Page("v1", "today"); !strings.Contains(page, d.Key()) || !strings.Contains(page, "at frame 12") {
		t.Error(page)
	}
}

// TestSecret: what a panic carries may be text from the wire, and is not repeated.
func TestSecret(t *testing.T) {
	for _, v := range []any{"token=secret", errors.New("token=secret")} {
		d := Guard("a unit", 0, func() { panic(v) })
		if d == nil || strings.Contains(d.Error()+d.Page("", ""), "secret") {
			t.Errorf("%v", d)
		}
	}
}

func TestRecover(t *testing.T) {
	var got *Defect
	func() {
		defer Recover("a unit", 7, func(d *Defect) { got = d })
		slip(nil, 0)
	}()
	if got == nil || got.Frame != 7 {
		t.Errorf("%v", got)
	}
}
