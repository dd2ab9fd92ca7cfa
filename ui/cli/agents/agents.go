// Package agents is what the command line has for coding agents: the MCP server
// over recordings, the commands that are the twins of its tools, and the skill.
package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"midwire/session/export"
	"midwire/session/gcpace"
	"midwire/session/record"
	"midwire/ui/agent/ask"
)

// Env is what the commands need of midwire.
type Env struct {
	In, Out, Err *os.File
	Version      string
	Folder       func() (string, error) // of recordings
	Masking      func() (record.Options, error)
	Keep         func() bool          // credentials are not masked
	Usage        func(error) error    // makes an error one that the user fixes by calling otherwise
	Replay       ask.Replayer         // sends a recording to a server
	Complete     cobra.CompletionFunc // of recordings
	Trouble      func(error)          // says what goes wrong meanwhile
}

func (e *Env) usagef(format string, a ...any) error { return e.Usage(fmt.Errorf(format, a...)) }

// recordings are those of the folder, and with files those that lie elsewhere.
func (e *Env) recordings(files bool) *ask.Recordings {
	return &ask.Recordings{
		Folder: e.Folder, Files: files, Stdin: e.In, Version: e.Version, Masking: e.Masking, Keep: e.Keep(),
		Trouble: e.Trouble,
	}
}

// Commands are all commands of the room.
func (e *Env) Commands() []*cobra.Command {
	return append(e.twins(), e.mcp(), e.skill())
}

// Answer asks a question and prints what comes back: as the tool of the MCP server
// says it, or as JSON.
func Answer[Q ask.Question[R], R ask.Result](ctx context.Context, e *Env, q Q, asJSON bool) error {
	defer gcpace.Pace(320<<20, 2)()
	r := e.recordings(true)
	r.Replay = e.Replay
	defer r.Close()
	out, err := ask.Answer(ctx, r, q)
	if err != nil {
		said := errors.New(ask.Shell(err.Error()))
		if errors.As(err, new(ask.Mistake)) {
			return e.Usage(said)
		}
		return said
	}
	text := ask.Markdown(out, true)
	if asJSON {
		if text, err = export.SafeJSON(out); err != nil {
			return err
		}
	}
	_, err = io.WriteString(e.Out, text)
	return err
}
