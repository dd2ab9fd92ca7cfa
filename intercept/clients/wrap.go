package clients

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"midwire/intercept/clients/syntax"
	"midwire/session/safefile"
	"midwire/session/words"
)

// Change is what was done to a file, or would be.
type Change struct {
	Before, After []byte
	Needs         string // command that must run now
	ByHand        bool   // midwire had not put itself there: what it could not know is how the entry was written
}

// ChangedError says that an entry is not as midwire has left it.
type ChangedError struct{ Lines []string }

func (e *ChangedError) Error() string {
	return "the entry changed since midwire was put in front:\n" + strings.Join(e.Lines, "\n")
}

// attempts are how often an edit begins again when the file changed meanwhile.
const attempts = 5

// locked does what one does while no other midwire changes anything; a dry one
// changes nothing itself.
func (e Env) locked(dry bool, one func() (Change, error)) (Change, error) {
	if !dry {
		unlock, err := journal(e.Journal).lock()
		if err != nil {
			return Change{}, err
		}
		defer unlock()
	}
	return retry(one)
}

// retry does what one does until the file held still.
func retry(one func() (Change, error)) (c Change, err error) {
	for range attempts {
		if c, err = one(); !errors.Is(err, errMeanwhile) {
			return c, err
		}
	}
	return c, fmt.Errorf("%w, %d times: close the client and try again", err, attempts)
}

// Wrap puts midwire in front of a server. A dry one writes nothing.
func (e Env) Wrap(f File, s Server, dry bool) (Change, error) {
	return e.locked(dry, func() (Change, error) { return e.wrap(f, s, dry) })
}

func (e Env) wrap(f File, s Server, dry bool) (Change, error) {
	if _, _, err := writable(f.Path); err != nil {
		return Change{}, err
	}
	data, err := safefile.Read(f.Path, maxFile)
	if err != nil {
		return Change{}, err
	}
	c, r := Change{Before: data}, Record{Client: f.Client.ID, File: f.Path, Project: f.Project, At: s.At}
	old, err := journal(e.Journal).find(f.Path, s.At)
	if err != nil {
		return c, err
	}
	d, err := begin(formatOf(f.Path), data, f.Client.Shape, s.At)
	if err != nil {
		return c, err
	}
	if d.entry.url != nil {
		if old != nil {
			if _, err := d.needs(&old.Mark); err == nil {
				return c, ErrWrapped
			}
		}
		var port int
		if port, err = e.port(); err == nil {
			c.After, r.Mark, err = wrapURL(formatOf(f.Path), data, f.Client.Shape, s.At, port)
		}
	} else {
		self := e.Self
		if f.Project && !d.setsPath() { // the path of this machine is of no use to others
			self = "midwire"
		}
		if d.isOurs(e.Self, old) {
			return c, ErrWrapped
		}
		c.After, r.Mark, err = wrapCommand(formatOf(f.Path), data, f.Client.Shape, s.At, self, e.Flags...)
	}
	if err != nil {
		return c, f.Client.suggestExec(err)
	}
	if c.Needs, err = needsAfter(f, s, c.After, r.Mark); err != nil || dry {
		return c, err
	}
	// The record comes first: of a change that was cut off it says how to undo
	// it, and one of a change that never came does no harm.
	r.Before, r.After = hash(data), hash(c.After)
	if err := journal(e.Journal).put(f.Path, s.At, &r); err != nil {
		return c, err
	}
	err = f.replace(data, c.After)
	if err != nil && !r.stands() {
		err = errors.Join(err, journal(e.Journal).put(f.Path, s.At, old))
	}
	return c, err
}

// isOurs reports whether midwire is in front of a command, by its name or its record.
func (d *edit) isOurs(self string, old *Record) bool {
	me := itself{path: self}
	if old != nil {
		me.mark = &old.Mark
	}
	return me.isInFront(d.entry.line())
}

// setsPath reports whether an entry sets PATH for its server: the client looks for the
// command there, where midwire is not.
func (d *edit) setsPath() bool {
	for _, m := range slices.Concat(d.node.Members, d.entry.holder.Members) {
		isPath := func(v syntax.Member) bool { return words.Fold(v.Name) == "path" }
		setsIt := func(v *syntax.Node) bool { return strings.HasPrefix(v.Text, "PATH=") }
		if strings.HasPrefix(m.Name, "env") &&
			(slices.ContainsFunc(m.Value.Members, isPath) || slices.ContainsFunc(m.Value.Items, setsIt)) {
			return true
		}
	}
	return false
}

// stands reports whether the entry is as the record left it, whatever else the
// file says.
func (r *Record) stands() bool {
	c, _ := Lookup(r.Client)
	data, err := safefile.Read(r.File, maxFile)
	if err != nil {
		return false
	}
	d, err := begin(formatOf(r.File), data, c.Shape, r.At)
	return err == nil && slices.Equal(hashes(d.entry.line()), r.Mark.Line)
}

func needsAfter(f File, s Server, after []byte, mark Mark) (string, error) {
	if mark.Local == "" {
		return "", nil
	}
	d, err := begin(formatOf(f.Path), after, f.Client.Shape, s.At)
	if err != nil {
		return "", err
	}
	return d.needs(&mark)
}

// port finds one that no wrapped entry has.
func (e Env) port() (int, error) {
	records, err := journal(e.Journal).read()
	if err != nil {
		return 0, err
	}
	var taken []int
	for _, r := range records {
		if _, port, ok := strings.Cut(r.Mark.Local, "127.0.0.1:"); ok {
			n, _ := strconv.Atoi(port)
			taken = append(taken, n)
		}
	}
	return e.Port(taken)
}

// Unwrap takes midwire out. Force does so too where someone changed other
// words of the command line: they stay as they are now.
func (e Env) Unwrap(f File, s Server, force, dry bool) (Change, error) {
	return e.locked(dry, func() (Change, error) { return e.unwrap(f, s, force, dry) })
}

func (e Env) unwrap(f File, s Server, force, dry bool) (Change, error) {
	if _, _, err := writable(f.Path); err != nil {
		return Change{}, err
	}
	data, err := safefile.Read(f.Path, maxFile)
	if err != nil {
		return Change{}, err
	}
	r, err := journal(e.Journal).find(f.Path, s.At)
	if err != nil {
		return Change{}, err
	}
	c, mark := Change{Before: data, ByHand: r == nil}, (*Mark)(nil)
	if r != nil {
		mark = &r.Mark
		err := unchanged(f, s, data, mark, force)
		if errors.Is(err, ErrNotWrapped) && !dry {
			err = errors.Join(err, journal(e.Journal).put(f.Path, s.At, nil))
		}
		if err != nil {
			return c, err
		}
	}
	if c.After, err = unwrap(formatOf(f.Path), data, f.Client.Shape, s.At, itself{e.Self, mark}); err != nil {
		return c, err
	}
	if r != nil && r.After == hash(data) && r.Before != hash(c.After) {
		return c, errors.New("the file would not be again what it was: nothing was changed; " +
			"please report this as a fault of midwire")
	}
	if dry {
		return c, nil
	}
	if err := f.replace(data, c.After); err != nil {
		return c, err
	}
	return c, journal(e.Journal).put(f.Path, s.At, nil)
}

// unchanged checks that an entry is as midwire has left it.
func unchanged(f File, s Server, data []byte, mark *Mark, force bool) error {
	d, err := begin(formatOf(f.Path), data, f.Client.Shape, s.At)
	if err != nil {
		return err
	}
	line := d.entry.line()
	now := hashes(line)
	if slices.Equal(now, mark.Line) {
		return nil
	}
	if undone := d.entry.url != nil && mark.Origin != "" && strings.HasPrefix(line[0], mark.Origin) ||
		d.entry.url == nil && slices.Equal(now, mark.wrappedCommand()); undone {
		return ErrNotWrapped
	}
	intact := itself{mark: mark}.words(line) > 0 && mark.Local == "" && len(mark.Line) > 0 && now[0] == mark.Line[0]
	if mark.Local != "" {
		_, err := d.needs(mark)
		intact = err == nil
	}
	if force && intact {
		return nil
	}
	return &ChangedError{difference(line, now, mark.Line)}
}

// wrappedCommand are the words that midwire stands in front of.
func (m *Mark) wrappedCommand() []string {
	return m.Line[slices.Index(m.Line, hash([]byte("--")))+1:]
}

// difference lists the words of a command line that came and went. Midwire
// keeps no copy of a word, only what names it.
func difference(line, now, was []string) (out []string) {
	for i, h := range was {
		if !slices.Contains(now, h) {
			out = append(out, fmt.Sprintf("- word %d of the command line is gone (midwire keeps no copy of it)", i+1))
		}
	}
	for i, h := range now {
		if !slices.Contains(was, h) {
			out = append(out, fmt.Sprintf("+ word %d is now %s", i+1, syntax.Quote(line[i])))
		}
	}
	if out == nil {
		out = append(out, "  the words of the command line stand in another order, or more or less often")
	}
	return out
}

// Lines is the change as lines: those that went with "-" and those that came
// with "+".
func (c Change) Lines() []string {
	return lineDiff(strings.SplitAfter(string(c.Before), "\n"), strings.SplitAfter(string(c.After), "\n"))
}

// mostCompared bounds the lines that are compared one by one, of one side times the other.
const mostCompared = 1 << 20

// lineDiff shows the lines that differ between two versions of a file, and no
// others: unchanged ones may hold secrets.
func lineDiff(a, b []string) (out []string) {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	a, b = a[start:endA], b[start:endB]
	tooLong := len(a)*len(b) > mostCompared
	var gone, came []bool
	if !tooLong {
		gone, came = words.Unmatched(a, b)
	}
	apart := true
	add := func(sign string, at int, line string) {
		if apart {
			out = append(out, fmt.Sprintf("@@ line %d @@", start+at+1))
		}
		apart = false
		out = append(out, sign+strings.TrimRight(line, "\r\n"))
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && (tooLong || gone[i]):
			add("- ", i, a[i])
			i++
		case j < len(b) && (tooLong || came[j]):
			add("+ ", i, b[j])
			j++
		default:
			i, j, apart = i+1, j+1, true
		}
	}
	return out
}
