package replay

// edit replaces a stretch of bytes.
type edit struct {
	from, to int
	with     []byte
}

// apply makes edits that are in order; of two that overlap the first counts.
// The result shares no memory with raw unless there are none.
func apply(raw []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return raw
	}
	var out []byte
	at := 0
	for _, e := range edits {
		if e.from < at {
			continue
		}
		out = append(append(out, raw[at:e.from]...), e.with...)
		at = e.to
	}
	return append(out, raw[at:]...)
}
