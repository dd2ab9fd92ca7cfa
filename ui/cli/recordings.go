package cli

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"midwire/replay"
	"midwire/session/diagnose/rules"
	"midwire/session/library"
	"midwire/session/pace"
	"midwire/session/record"
	"midwire/session/safe"
)

// resolve calls use with the files that a user's references name.
func (a *app) resolve(refs []string, use func(files []string) error) error {
	dir, err := a.folder()
	if err != nil {
		return err
	}
	files, done, err := library.Resolve(dir, refs, a.In)
	if err != nil {
		return err
	}
	defer done()
	// Who reads our output may leave: done is to run all the same. A server that
	// is started for a replay would ignore what we ignore.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if err = use(files); errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// read is resolve for commands that read a recording to its end. A payload of a
// hundred megabytes is copied a few times on the way to a line of text.
func (a *app) read(refs []string, use func(files []string) error) error {
	defer pace.Memory(128<<20, 4)()
	return a.resolve(refs, use)
}

func load(path string, use func(*replay.Script) error) error {
	s, err := replay.Load(path)
	if err != nil {
		return err
	}
	defer s.Close()
	return use(s)
}

// sessionIndexes turns numbers as midwire show prints them into indexes.
func sessionIndexes(numbers []int) ([]int, error) {
	var all []int
	for _, n := range numbers {
		if n < 1 {
			return nil, usagef("--session takes a number from 1 as midwire show prints it, not %d", n)
		}
		all = append(all, n-1)
	}
	return all, nil
}

// completeRecordings lets a shell complete the ids of recordings. Shells write
// what they are given to the terminal as it is: names that hold more than plain
// text are left out.
func (a *app) completeRecordings(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	dir, _ := a.folder()
	names, _ := record.Names(dir)
	names = slices.DeleteFunc(names, func(name string) bool { return safe.Whole(name) != name })
	return append(names, "last"), cobra.ShellCompDirectiveDefault
}

func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeFiles lets a shell complete names of files, as for any command.
func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}
