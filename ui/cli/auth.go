package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/safe"
)

func (a *app) auth() *cobra.Command {
	asJSON, session := false, 0
	c := &cobra.Command{
		Use: "auth REC", Short: "Show a recorded OAuth login, and where it fails",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(_ *cobra.Command, args []string) error {
			if session < 0 {
				return usagef("sessions are numbered from 1")
			}
			return a.read(args, func(files []string) error { return a.writeAuth(files[0], asJSON, session) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (docs/oauth.md)")
	c.Flags().IntVar(&session, "session", 0, "only the flows of this session, by its number in midwire ls")
	return c
}

func (a *app) writeAuth(file string, asJSON bool, session int) error {
	options, err := a.masking()
	if err != nil {
		return err
	}
	account, err := library.Auth(file, options)
	if err != nil {
		return err
	}
	if session > 0 {
		account.KeepSession(session)
	}
	if account.Trouble != "" {
		fmt.Fprintf(a.Err, "midwire: %s: %s\n", safe.Clean(account.Recording), account.Trouble)
	}
	err = a.print(asJSON, account, func() string { return export.AuthText(account) })
	if err == nil && account.Failed() {
		return statusFound
	}
	return err
}
