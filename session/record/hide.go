package record

import (
	"slices"

	"midwire/session/record/redact"
)

// hidden are the texts that Hide named.
type hidden struct {
	texts []string
	*redact.Hidden
}

// Hide masks texts wherever they occur in the payloads that are appended from now on, in every
// spelling, in addition to the usual masks: the user declared them secret. What is shorter than
// four bytes is no secret. Where nothing is masked these are not. Any goroutine may call it,
// each time with more.
func (w *Writer) Hide(secrets []string) {
	if w.mask == nil {
		return
	}
	for {
		old := w.hidden.Load()
		all := &hidden{texts: slices.Clone(secrets)}
		if old != nil {
			all.texts = append(all.texts, old.texts...)
		}
		all.Hidden = redact.Hide(all.texts)
		if w.hidden.CompareAndSwap(old, all) {
			return
		}
	}
}

// hide masks in a payload what Hide named.
func (w *Writer) hide(data []byte) (out []byte, masked bool) {
	if all := w.hidden.Load(); all != nil {
		return all.Mask(data)
	}
	return data, false
}
