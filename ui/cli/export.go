package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/safefile"
	"midwire/ui/cli/collect"
)

func (a *app) export() *cobra.Command {
	var o exporting
	c := &cobra.Command{
		Use: "export REC --to FORMAT", Short: "Export a recording (HTML, HAR, OTLP, …)",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.parse(a); err != nil {
				return err
			}
			return a.read(args, func(files []string) error {
				if o.sending.To == "" {
					return o.run(a, files[0])
				}
				env, err := a.collecting()
				return errors.Join(err, o.sending.Send(cmd.Context(), env, files[0], a.Out))
			})
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "to", "", strings.Join(export.Formats(), ", ")+"; without it, by the ending of --output")
	f.StringVarP(&o.output, "output", "o", "", "file to write or replace; without it standard output")
	f.IntVar(&o.session, "session", 0, "export this session alone, by its number in midwire ls")
	f.BoolVar(&o.keepIDs, "keep-ids", false, "leave session ids as they are")
	o.sending.Add(f)
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(export.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

type exporting struct {
	format, output string
	session        int
	keepIDs        bool
	sending        collect.Sending
}

func (o *exporting) parse(a *app) error {
	o.format = cmp.Or(o.format, export.ForFile(o.output))
	all := strings.Join(export.Formats(), ", ")
	if o.format == "" {
		return usagef("export to what? --to %s", all)
	}
	if !slices.Contains(export.Formats(), o.format) {
		return usagef("--to %q: %s", o.format, all)
	}
	if err := o.sending.Check(a.Getenv, o.format, o.output != "" || o.session != 0); err != nil {
		return usageError{err}
	}
	if o.session < 0 {
		return usagef("--session %d: sessions are counted from 1", o.session)
	}
	return nil
}

func (o *exporting) run(a *app, file string) error {
	options, err := a.masking()
	if err != nil {
		return err
	}
	seen, end := a.reads()
	e, err := library.NewExport(file, a.Version, options, o.keepIDs, seen)
	end()
	if err != nil {
		return err
	}
	defer e.Close()
	if o.session > e.Sessions {
		return usagef("--session %d: the recording has %d. midwire show lists them", o.session, e.Sessions)
	}
	if o.output == "" || o.output == "-" {
		return o.write(a.Out, e)
	}
	if sameFile(file, o.output) {
		return usagef("--output %s is the recording itself", o.output)
	}
	return o.save(e)
}

func (o *exporting) write(w io.Writer, e *library.Export) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := e.Write(out, o.format, o.session); err != nil {
		return err
	}
	return out.Flush()
}

// save writes a file that appears whole or not at all, readable by its owner
// alone: it may hold confidential traffic. What is no file, like /dev/stdout,
// is written to as it is, unless it is a pipe of somebody else.
func (o *exporting) save(e *library.Export) error {
	info, err := os.Lstat(o.output)
	if err == nil && strings.HasPrefix(o.output, "/dev/") {
		info, err = os.Stat(o.output) // links that the system made
	} else if err == nil && info.Mode()&os.ModeNamedPipe != 0 && !safefile.IsOurs(info) {
		return fmt.Errorf("export: %s is a pipe of another user; choose another name", o.output)
	}
	if err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0 {
		f, err := os.OpenFile(o.output, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		return errors.Join(o.write(f, e), f.Close())
	}
	write := func(w io.Writer) error { return e.Write(w, o.format, o.session) }
	if err := safefile.Replace(o.output, write); err != nil {
		return fmt.Errorf("export to %s: %w", o.output, err)
	}
	return nil
}
