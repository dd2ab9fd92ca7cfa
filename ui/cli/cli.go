// Package cli is the command line: one file per command, and one Env for all
// of them. Commands parse flags and wire packages together; what they do lives
// elsewhere.
package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"midwire/session/defect"
)

// What midwire exits with, but for 0 when all is well. The stdio proxy exits
// as the server does.
const (
	statusFound   exitStatus = 1 // findings, or differences
	statusUsage   exitStatus = 2 // called wrongly
	statusFailure exitStatus = 3 // midwire itself failed
)

// Main runs midwire with arguments, the name of the program not among them,
// and returns what to exit with. The stdio proxy of a server that died of a
// signal does not return: it dies of the same.
func Main(args []string, env Env) (status int) {
	a := newApp(env)
	defer defect.Recover("this command", 0, func(d *defect.Defect) {
		a.printError(d)
		status = int(statusFailure)
	})
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // never nil: cobra would take those of the process
	err := root.Execute()
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[exitStatus](err); ok {
		return int(status)
	}
	a.printError(err)
	if errors.As(err, new(usageError)) {
		return int(statusUsage)
	}
	return int(statusFailure)
}

// Commands are all commands with their flags and texts, for manuals. They are not
// to be run: Main does that.
func Commands() *cobra.Command { return newApp(Env{}).root() }

// exitStatus as an error ends the program and says nothing more.
type exitStatus int

// Error returns the empty string: what there is to say was said.
func (s exitStatus) Error() string { return "" }

// usageError is one that the user fixes by calling midwire otherwise.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	last := len(words) - 1
	return usagef("%s is %s or %s, not %q", flag, strings.Join(words[:last], ", "), words[last], value)
}
