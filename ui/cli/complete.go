package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"midwire/session/diagnose/rules"
	"midwire/session/record"
	"midwire/session/safe"
)

// completeRecordings lets a shell complete the ids of recordings. Shells write
// what they are given to the terminal as it is: names that hold more than plain
// text are left out.
func (a *app) completeRecordings(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	dir, _ := a.folder()
	names, _ := record.Names(dir)
	names = slices.DeleteFunc(names, func(name string) bool { return safe.Whole(name) != name })
	return append(names, "last"), cobra.ShellCompDirectiveDefault
}

// completeRules lets a shell complete the ids of rules.
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
