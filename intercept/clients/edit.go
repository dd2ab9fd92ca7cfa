package clients

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"midwire/intercept/clients/syntax"
	"midwire/session/words"
)

// Mark is what is remembered of an entry that midwire was put in front of. The
// entry itself still holds the rest: its command has moved.
type Mark struct {
	// Inserted is set where the entry had no list of arguments.
	Inserted bool `json:"inserted,omitempty"`
	// Origin is what the URL of a remote server began with, Local what it begins
	// with now.
	Origin string `json:"origin,omitempty"`
	Local  string `json:"local,omitempty"`
	// Line has a hash for each word of the command line, or of the URL, as it
	// was left.
	Line []string `json:"line"`
}

var (
	// ErrWrapped: midwire is in front already. ErrNotWrapped: it is not.
	ErrWrapped    = errors.New("midwire is in front of it already")
	ErrNotWrapped = errors.New("midwire is not in front of it")

	errMove = errors.New("its command is written in a way that cannot be moved: write it in quotes, in one line")
)

// edit is a file with the entry of a server in it that is being changed, and
// what the file must say afterwards.
type edit struct {
	file       *syntax.File
	shape      Shape
	at         Address
	node, want *syntax.Node // the entry; the root to be
	entry      entry
	wish       entry // entry, in want
	splices    []syntax.Splice
}

func begin(format syntax.Format, data []byte, shape Shape, at Address) (*edit, error) {
	file, err := syntax.Parse(format, data)
	if err != nil {
		return nil, err
	}
	d := &edit{file: file, shape: shape, at: at, want: file.Root.Clone()}
	if d.node, err = at.find(file.Root); err != nil {
		return nil, err
	}
	if d.entry, err = shape.read(d.node); err != nil {
		return nil, err
	}
	wish, _ := at.find(d.want)
	d.wish, _ = shape.read(wish)
	return d, nil
}

// finish makes the splices, and checks that they did what was wanted and
// nothing else.
func (d *edit) finish() ([]byte, error) {
	out := d.file.Apply(d.splices...)
	after, err := syntax.Parse(d.file.Format, out)
	if err != nil || !after.Root.Equal(d.want) {
		return nil, errMove
	}
	return out, nil
}

// try adds a splice that may be impossible.
func (d *edit) try(s syntax.Splice, err error) error {
	d.splices = append(d.splices, s)
	return err
}

// wrapCommand puts midwire, with its flags, in front of the command of an entry.
func wrapCommand(
	format syntax.Format, data []byte, shape Shape, at Address, midwire string, flags ...string,
) ([]byte, Mark, error) {
	d, err := begin(format, data, shape, at)
	if err != nil {
		return nil, Mark{}, err
	}
	switch me := (itself{path: midwire}); {
	case me.isInFront(d.entry.line()):
		return nil, Mark{}, ErrWrapped
	case me.starts(d.entry.line()):
		return nil, Mark{}, errItself
	}
	flags = append(slices.Clone(flags), "--")
	e, self := d.entry, syntax.Quote(midwire)
	var words [][]byte
	var items []*syntax.Node
	for _, f := range flags {
		words, items = append(words, syntax.Quote(f)), append(items, syntax.Text(f))
	}
	cmd, mark := e.command.Value, Mark{Inserted: e.args == nil && e.command.Value.Kind != syntax.List}
	put := func(n *syntax.Node, first ...*syntax.Node) { n.Items = append(first, n.Items...) }
	switch {
	case cmd.Kind == syntax.List:
		put(d.wish.command.Value, append([]*syntax.Node{syntax.Text(midwire)}, items...)...)
		err = d.try(d.file.Prepend(cmd, append([][]byte{self}, words...)...))
	case cmd.To == 0:
		return nil, mark, errMove
	default:
		moved := append(items, cmd.Clone())
		words = append(words, d.file.Raw(cmd))
		*d.wish.command.Value = *syntax.Text(midwire)
		d.splices = append(d.splices, d.file.Replace(cmd, self))
		if !mark.Inserted {
			put(d.wish.args.Value, moved...)
			err = d.try(d.file.Prepend(e.args.Value, words...))
			break
		}
		in := d.wish.holder
		i := slices.IndexFunc(in.Members, func(m syntax.Member) bool { return m.Name == e.command.Name })
		in.Members = slices.Insert(in.Members, i, syntax.Member{
			Name: shape.args(), Value: &syntax.Node{Kind: syntax.List, Items: moved},
		})
		err = d.try(d.file.Insert(e.command, shape.args(), words...))
	}
	if err != nil {
		return nil, mark, err
	}
	return d.undoable(mark)
}

// undoable finishes an edit that must be possible to undo, byte for byte.
func (d *edit) undoable(mark Mark) ([]byte, Mark, error) {
	out, err := d.finish()
	if err != nil {
		return nil, mark, err
	}
	after, err := begin(d.file.Format, out, d.shape, d.at)
	if err != nil {
		return nil, mark, err
	}
	mark.Line = hashes(after.entry.line())
	back, err := unwrap(d.file.Format, out, d.shape, d.at, itself{mark: &mark})
	if err != nil || !bytes.Equal(back, d.file.Apply()) {
		return nil, mark, fmt.Errorf("what it would change could not be undone: %w", errMove)
	}
	return out, mark, nil
}

// unwrap takes midwire out of an entry. Without a mark it is one that midwire was
// put in front of by hand.
func unwrap(format syntax.Format, data []byte, shape Shape, at Address, me itself) ([]byte, error) {
	mark := me.mark
	d, err := begin(format, data, shape, at)
	if err != nil {
		return nil, err
	}
	if d.entry.url != nil {
		return d.unwrapURL(mark)
	}
	n := me.words(d.entry.line())
	switch {
	case n > 0:
	case me.runs(d.entry.line()):
		return nil, errRun
	default:
		return nil, ErrNotWrapped
	}
	e := d.entry
	if list := e.command.Value; list.Kind == syntax.List {
		d.wish.command.Value.Items = d.wish.command.Value.Items[n:]
		if err := d.try(d.file.DropItems(list, n)); err != nil {
			return nil, err
		}
		return d.finish()
	}
	moved := e.args.Value.Items[n-1] // the command itself is not among the arguments
	if moved.To == 0 || moved.Kind != syntax.String {
		return nil, errMove
	}
	d.splices = append(d.splices, d.file.Replace(e.command.Value, d.file.Raw(moved)))
	*d.wish.command.Value = *moved.Clone()
	if mark != nil && mark.Inserted && len(e.args.Value.Items) == n {
		d.wish.holder.Members = slices.DeleteFunc(d.wish.holder.Members,
			func(m syntax.Member) bool { return m.Name == e.args.Name })
		err = d.try(d.file.DropMember(e.holder, e.args, e.command))
	} else {
		d.wish.args.Value.Items = d.wish.args.Value.Items[n:]
		err = d.try(d.file.DropItems(e.args.Value, n))
	}
	if err != nil {
		return nil, err
	}
	return d.finish()
}

// signInError: the client signs in to a server by OAuth.
type signInError struct{ host string }

func (e *signInError) Error() string {
	return "the client signs in to this server by OAuth, which another address breaks"
}

// host is the name of a server, with its port, in what a URL starts with; ""
// where that does not name it.
func host(begins string) string {
	_, name, _ := strings.Cut(begins, "://")
	if strings.ContainsAny(name, "${}%@") {
		return ""
	}
	return name
}

// ExecCommand is the command that records the client with its files unchanged.
func (c Client) ExecCommand(host string) string {
	if c.runner().write != nil {
		return "midwire exec --wrap -- " + c.Programs[0]
	}
	return "midwire exec --host " + cmp.Or(host, "HOST") + " -- CLIENT"
}

// suggestExec says in an error what to do otherwise.
func (c Client) suggestExec(err error) error {
	if e, ok := errors.AsType[*signInError](err); ok {
		return fmt.Errorf("%w: %s records it without a change of the file", err, c.ExecCommand(e.host))
	}
	return err
}

// remote is the URL of the server behind an entry, without the parts that may
// hold a secret; its error says why midwire cannot stand in front.
func (d *edit) remote() (*url.URL, error) {
	text := d.entry.url.Value.Text
	begins := origin(text)
	switch {
	case signsIn(d.node):
		return nil, &signInError{host(begins)}
	case begins == "":
		return nil, errors.New("its URL does not begin with http:// or https://")
	case strings.ContainsAny(begins, "${}%"):
		return nil, errors.New("its URL has a variable in the name of the server: midwire does not expand it")
	case strings.Contains(begins, "@"):
		return nil, errors.New("its URL holds a password, which midwire does not keep")
	}
	path, _, _ := strings.Cut(text[len(begins):], "?")
	path, _, _ = strings.Cut(path, "#")
	return url.Parse(begins + path)
}

// origin is what a URL of http or https starts with, up to its path, or "".
func origin(text string) string {
	return beginsURL().FindString(text)
}

var beginsURL = words.Pattern(`^(?i:https?)://[^/?#\\]+`)

// wrapURL has an entry name an address of this machine, where midwire http is to
// listen.
func wrapURL(format syntax.Format, data []byte, shape Shape, at Address, port int) ([]byte, Mark, error) {
	d, err := begin(format, data, shape, at)
	if err != nil {
		return nil, Mark{}, err
	}
	if _, err := d.remote(); err != nil {
		return nil, Mark{}, err
	}
	mark := Mark{
		Origin: origin(d.entry.url.Value.Text),
		Local:  "http://127.0.0.1:" + strconv.Itoa(port),
	}
	if err := d.begins(mark.Origin, mark.Local); err != nil {
		return nil, mark, err
	}
	return d.undoable(mark)
}

// begins has the URL of an entry begin otherwise.
func (d *edit) begins(before, after string) error {
	u := d.entry.url.Value
	if u.To == 0 {
		return errMove
	}
	raw := d.file.Raw(u)
	i := bytes.Index(raw, []byte(before))
	if i < 0 || i > 3 { // quotes of TOML are up to three
		return errors.New("its URL is written with escapes")
	}
	d.splices = append(d.splices, syntax.Splice{From: u.From + i, To: u.From + i + len(before), Text: []byte(after)})
	d.wish.url.Value.Text = after + strings.TrimPrefix(u.Text, before)
	return nil
}

func (d *edit) unwrapURL(mark *Mark) ([]byte, error) {
	if mark == nil || mark.Local == "" || !strings.HasPrefix(d.entry.url.Value.Text, mark.Local) {
		return nil, ErrNotWrapped
	}
	if err := d.begins(mark.Local, mark.Origin); err != nil {
		return nil, err
	}
	return d.finish()
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

func hashes(words []string) (out []string) {
	for _, w := range words {
		out = append(out, hash([]byte(w)))
	}
	return out
}
