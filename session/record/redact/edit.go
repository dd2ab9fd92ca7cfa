package redact

// edit copies a payload and puts masks instead of what is secret in it.
type edit struct {
	r      *Redactor
	src    []byte
	out    []byte
	kept   int // src up to here is in out
	masked bool
}

// mask puts a mask instead of src[from:to]. What lies in front of kept was
// written already.
func (e *edit) mask(from, to int) { e.maskAs(from, to, "", "") }

// maskAs is mask with something around what is put there.
func (e *edit) maskAs(from, to int, before, after string) {
	from = max(from, e.kept)
	if from >= to || isMask(e.src[from:to]) {
		return
	}
	e.out = append(append(e.out, e.src[e.kept:from]...), before...)
	e.out = append(e.r.appendMask(e.out, e.src[from:to]), after...)
	e.kept, e.masked = to, true
}

// finish appends what is left.
func (e *edit) finish() []byte {
	e.out = append(e.out, e.src[e.kept:]...)
	e.kept = len(e.src)
	return e.out
}

// put puts a text instead of src[from:to].
func (e *edit) put(from, to int, text []byte) {
	e.out = append(append(e.out, e.src[e.kept:from]...), text...)
	e.kept, e.masked = to, true
}
