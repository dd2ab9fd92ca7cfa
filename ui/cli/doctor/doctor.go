// Package doctor is midwire doctor: it looks at the installation and says of each
// part how it stands, and what to do next. It changes nothing and asks nobody
// outside this machine.
package doctor

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"midwire/intercept/clients"
)

// Env is what the command needs of midwire. All of it must be set.
type Env struct {
	Out     *os.File
	Getenv  func(string) string
	GOOS    string
	Version string
	Folder  func() (string, error)      // of recordings
	Machine func() (clients.Env, error) // whose clients are looked at
	Config  func() (there bool, path string, err error)
	ASCII   func() bool // draw with ASCII characters only
	Found   error       // what a command returns that found something
}

// State is how a part stands.
type State string

// The states, from good to bad. A note is nothing to worry about.
const (
	OK      State = "ok"
	Note    State = "note"
	Warning State = "warning"
	Failed  State = "error"
)

// Result is a line of what the doctor says.
type Result struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Says  string `json:"says"`
	Next  string `json:"next,omitempty"` // what to do
}

type check struct {
	*Env
	name string
	dir  string // of recordings, "" where that is not known
	out  []Result
}

func (c *check) say(state State, says, next string) {
	c.out = append(c.out, Result{c.name, state, says, next})
}

// Command is midwire doctor.
func (e *Env) Command() *cobra.Command {
	asJSON, all := false, false
	c := &cobra.Command{
		Use: "doctor", Short: "Check this installation, and say what to fix", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			results := e.examine(all)
			var err error
			if asJSON {
				err = e.printJSON(results)
			} else {
				err = e.print(results)
			}
			if err == nil && worst(results) > 1 {
				err = e.Found
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	c.Flags().BoolVar(&all, "all", false, "read every recording to its end, however much that is")
	return c
}

// examine makes all checks, in the order in which they are printed.
func (e *Env) examine(all bool) (out []Result) {
	dir, err := e.Folder()
	for _, one := range []struct {
		name   string
		inside bool // of the folder of recordings, which says itself when it is not known
		look   func(*check)
	}{
		{"program", false, (*check).program},
		{"configuration", false, (*check).configuration},
		{"folder", false, func(c *check) { c.folder(err) }},
		{"recordings", true, func(c *check) { c.recordings(all) }},
		{"clients", false, (*check).clients},
	} {
		if c := (check{Env: e, name: one.name, dir: dir}); !one.inside || err == nil {
			one.look(&c)
			out = append(out, c.out...)
		}
	}
	return out
}

// worst is the worst state of all, as a number: 0 for ok.
func worst(results []Result) (n int) {
	for _, r := range results {
		n = max(n, map[State]int{OK: 0, Note: 1, Warning: 2, Failed: 3}[r.State])
	}
	return n
}

func (e *Env) printJSON(results []Result) error {
	to := json.NewEncoder(e.Out)
	to.SetEscapeHTML(false)
	to.SetIndent("", "  ")
	return to.Encode(results)
}
