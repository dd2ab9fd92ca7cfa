package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// hiddenMask replaces what Hide names.
const hiddenMask = "redacted"

// Hide masks texts wherever they occur in the payloads that are appended from now on,
// in addition to the usual masks: the user declared them secret. What is shorter
// than six bytes is no secret. Where nothing is masked these are not. Any goroutine may
// call it, each time with more.
func (w *Writer) Hide(secrets []string) {
	if w.mask == nil {
		return
	}
	var more [][]byte
	for _, s := range secrets {
		quoted, _ := json.Marshal(s) // a string
		for _, form := range []string{s, strings.Trim(string(quoted), `"`)} {
			if len(form) >= 6 {
				more = append(more, []byte(form))
			}
		}
	}
	for {
		old := w.hidden.Load()
		all := more
		if old != nil {
			all = append(slices.Clone(*old), more...)
		}
		slices.SortFunc(all, func(a, b []byte) int { // what contains another first
			return cmp.Or(len(b)-len(a), bytes.Compare(a, b))
		})
		all = slices.CompactFunc(all, bytes.Equal)
		if w.hidden.CompareAndSwap(old, &all) {
			return
		}
	}
}

// hide masks in a payload what Hide named.
func (w *Writer) hide(data []byte) (out []byte, masked bool) {
	if all := w.hidden.Load(); all != nil {
		for _, s := range *all {
			if bytes.Contains(data, s) {
				data, masked = bytes.ReplaceAll(data, s, []byte(hiddenMask)), true
			}
		}
	}
	return data, masked
}
