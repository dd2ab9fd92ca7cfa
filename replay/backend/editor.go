package backend

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"midwire/replay"
	"midwire/ui/replaying"
)

// Edit implements replaying.Replayer.
func (r *Replayer) Edit(text []byte) replaying.Editor { return &editor{env: r.env, before: text} }

// editor runs the user's editor on its own file, which it removes.
type editor struct {
	env           Env
	before, after []byte
	in            io.Reader
	out, err      io.Writer
}

func (e *editor) SetStdin(r io.Reader)  { e.in = r }
func (e *editor) SetStdout(w io.Writer) { e.out = w }
func (e *editor) SetStderr(w io.Writer) { e.err = w }
func (e *editor) Text() []byte          { return e.after }

func (e *editor) Run() error {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	words, ok := replay.SplitWords(cmp.Or(e.env.Getenv("VISUAL"), e.env.Getenv("EDITOR"), usual))
	if !ok || len(words) == 0 {
		return errors.New("$VISUAL or $EDITOR is no command line")
	}
	f, err := os.CreateTemp("", "midwire-*.json")
	if err != nil {
		return fmt.Errorf("text to edit: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(e.before)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("text to edit: %w", err)
	}
	cmd := exec.Command(words[0], append(words[1:], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.in, e.out, e.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor %s: %w. Set $VISUAL or $EDITOR to another one", words[0], err)
	}
	after, err := os.ReadFile(f.Name())
	if err != nil {
		return fmt.Errorf("edited text: %w", err)
	}
	e.after = append([]byte{}, after...)
	return nil
}
