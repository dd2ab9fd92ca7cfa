// Package defect keeps a panic in one unit of midwire from ending what else the
// program does: traffic, a screen, a command. Guard stands where one unit ends and
// the next begins; what is done with the Defect that it returns is up to the caller.
package defect

import (
	"fmt"
	"hash/fnv"
	"path"
	"runtime"
	"strings"
)

// Defect is a panic. None of its texts has bytes from the wire: they may be written
// to a log or a file, and given away.
type Defect struct {
	Unit  string // what was done, as a noun: "the rule session-per-call"
	Frame uint64 // the frame in hand, 0 for none
	What  string // "runtime error: index out of range [3] with length 2"
	Stack string // a line for each function, the one that panicked first
}

// File is the name of the file, in midwire's folder, that keeps defects.
const File = "defects.txt"

const maxDepth = 64

// Guard calls do. It returns nil, or what do panicked with; then whatever do was to
// change may be half done.
func Guard(unit string, frame uint64, do func()) (d *Defect) {
	defer func() {
		if v := recover(); v != nil {
			d = caught(unit, frame, v)
		}
	}()
	do()
	return nil
}

// Recover is Guard for a function that defers it: take gets the panic that ended
// the function.
func Recover(unit string, frame uint64, take func(*Defect)) {
	if v := recover(); v != nil {
		take(caught(unit, frame, v))
	}
}

// Fails makes a panic the error of a function that defers it.
func Fails(unit string, err *error) {
	if v := recover(); v != nil {
		*err = caught(unit, 0, v)
	}
}

func caught(unit string, frame uint64, v any) *Defect {
	if again, ok := v.(*Defect); ok {
		return again
	}
	return &Defect{Unit: unit, Frame: frame, What: panicText(v), Stack: stack()}
}

// panicText a panic says. Only the runtime's own texts are known to quote nothing that
// was read.
func panicText(v any) string {
	if e, ok := v.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("panic with a %T", v)
}

// stack lists the functions that were called when a panic began, from the one that
// panicked.
func stack() string {
	pc := make([]uintptr, maxDepth)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	var out []string
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function == "runtime.gopanic" {
			out = nil // what follows called panic
			continue
		}
		if strings.HasPrefix(f.Function, "runtime.") { // how the runtime came to panic
			continue
		}
		file := path.Join(path.Base(path.Dir(f.File)), path.Base(f.File))
		out = append(out, fmt.Sprintf("%s (%s:%d)\n", f.Function, file, f.Line))
	}
	return strings.Join(out, "")
}

// Error says what happened, where, and what to do.
func (d *Defect) Error() string {
	at := ""
	if d.Frame != 0 {
		at = fmt.Sprintf(" at #%d", d.Frame)
	}
	return fmt.Sprintf("midwire has a defect: %s failed%s (%s). Please report it with %s from midwire's folder",
		d.Unit, at, d.What, File)
}

// Key is equal for defects at the same place of the program.
func (d *Defect) Key() string {
	h := fnv.New64a()
	h.Write([]byte(d.What + "\n" + d.Stack))
	return fmt.Sprintf("%016x", h.Sum64())
}

// Page is what File keeps of a defect.
func (d *Defect) Page(version, when string) string {
	at := ""
	if d.Frame != 0 {
		at = fmt.Sprintf(" at frame %d", d.Frame)
	}
	return fmt.Sprintf("defect %s, midwire %s, %s\n%s failed%s: %s\n%s\n", d.Key(), version, when, d.Unit, at, d.What, d.Stack)
}
