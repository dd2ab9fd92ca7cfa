package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/replay/call"
	"midwire/replay/expect"
	"midwire/replay/peer"
	"midwire/session/diagnose"
	"midwire/session/library"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/safefile"
	"midwire/session/wire"
)

type calling struct {
	asking
	json bool
	tool string // "" to list them
}

func (a *app) call() *cobra.Command {
	var o calling
	c := &cobra.Command{
		Use:   "call (URL | REC) [TOOL] [NAME=VALUE…] | call [TOOL] [NAME=VALUE…] -- COMMAND",
		Short: "Call a tool of a server, and print its result",
		Args:  cobra.ArbitraryArgs, ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), a, o.split(cmd, args))
		},
	}
	o.callFlags(c.Flags())
	c.Flags().BoolVar(&o.json, "json", false, "print the result as JSON")
	return c
}

func (o *calling) run(ctx context.Context, a *app, args []string) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	args, err := o.find(a, args)
	if err != nil {
		return err
	}
	if len(args) > 0 && !strings.Contains(args[0], "=") {
		o.tool, args = args[0], args[1:]
	}
	var given []call.Argument
	for _, word := range args {
		one, err := call.ParseArgument(word)
		if err != nil {
			return usageError{err}
		}
		given = append(given, one)
	}
	if o.tool == "" && len(given) > 0 {
		return usagef("which tool? midwire call SERVER lists them")
	}
	return o.make(ctx, a, given)
}

// make makes the call.
func (o *calling) make(ctx context.Context, a *app, given []call.Argument) error {
	// What is read from the environment must be known before a recording begins.
	filled, err := call.Arguments(nil, given)
	if err != nil {
		return usageError{err}
	}
	names, hide, err := call.Fill(filled, a.Getenv)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		fmt.Fprintf(a.Err, "midwire: sends %s of the environment\n", safe.Clean(strings.Join(names, ", ")))
	}
	client, err := o.open(ctx, a, "call", hide)
	if err != nil {
		return err
	}
	defer client.Close()
	tools, err := client.List(mcp.ToolsList, "tools")
	if err != nil {
		return said(client.Given(), err)
	}
	if o.tool == "" {
		return o.list(a, client.Given(), tools)
	}
	tool, err := call.Find(tools, o.tool)
	if err != nil {
		return err
	}
	arguments, err := call.Arguments(wire.Get(tool, "inputSchema"), given)
	if err != nil {
		return usageError{err}
	}
	if _, _, err = call.Fill(arguments, a.Getenv); err != nil {
		return err
	}
	text, _ := json.Marshal(arguments) // of raw JSON, which is valid
	result, err := client.Call(o.tool, text)
	return o.print(a, client.Given(), result, err)
}

// wrote writes a file, or standard output without one, and says so.
func (a *app) wrote(path string, text []byte, what string) error {
	if path == "" {
		return a.print(true, json.RawMessage(text), nil)
	}
	err := safefile.Replace(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err == nil {
		_, err = fmt.Fprintf(a.Out, "wrote %s%s\n", safe.Clean(path), what)
	}
	return err
}

func (o *calling) list(a *app, given peer.Secrets, tools []json.RawMessage) error {
	return a.reply(given, o.json, tools, func() string {
		var b strings.Builder
		for _, t := range tools {
			b.WriteString(safe.Clean(call.Signature(t)) + "\n")
		}
		return b.String()
	})
}

func (o *calling) print(a *app, given peer.Secrets, result json.RawMessage, err error) error {
	if refused, is := errors.AsType[*call.Refused](err); is {
		a.printError(said(given, refused))
		return statusFound
	}
	if err != nil {
		return said(given, err)
	}
	read := call.Read(result)
	err = a.reply(given, o.json, result, func() string {
		var b strings.Builder
		for line := range strings.Lines(read.Text) {
			b.WriteString(safe.Whole(strings.TrimRight(line, "\r\n")) + "\n")
		}
		return b.String()
	})
	if err == nil && (read.Error || read.Input) {
		return statusFound
	}
	return err
}

// baseline is midwire baseline.
func (a *app) baseline() *cobra.Command {
	var s asking
	output, against := "", ""
	c := &cobra.Command{
		Use:   "baseline (URL | REC | -- COMMAND) [-o FILE | --check FILE]",
		Short: "Keep a server's definitions in a file, or compare with it",
		Args:  cobra.ArbitraryArgs, ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = s.split(cmd, args)
			return a.listed(cmd.Context(), &s, args, func(files []string) error {
				if against != "" {
					return a.compareBaseline(cmd.Context(), files, against)
				}
				b, rule := expect.Collect()
				if _, err := library.CheckUntil(cmd.Context(), files, []*diagnose.Rule{rule}, nil); err != nil {
					return err
				}
				if len(b.Lists) == 0 {
					return errors.New("the recording has no whole list of tools, prompts or templates")
				}
				b.Taken = time.Now().Format(time.DateOnly)
				text, err := b.Write()
				if err != nil {
					return err
				}
				return a.wrote(output, text, fmt.Sprintf(": %d definitions", b.Count()))
			})
		},
	}
	s.callFlags(c.Flags())
	c.Flags().StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	c.Flags().StringVar(&against, "check", "", "compare with this file instead")
	return c
}

// compareBaseline prints what has changed since, whole.
func (a *app) compareBaseline(ctx context.Context, files []string, path string) error {
	b, err := readExpected(path, expect.ReadBaseline)
	if err != nil {
		return err
	}
	checked, err := library.CheckUntil(ctx, files, (&expect.Expected{Baseline: b}).Rules(), nil)
	if err != nil {
		return err
	}
	n := 0
	for _, c := range checked {
		for _, root := range c.Findings {
			root.Each(func(f *diagnose.Finding, _ int) {
				n++
				fmt.Fprintf(a.Out, "! %s\n", safe.Whole(f.Message))
			})
		}
	}
	if n == 0 {
		_, err = fmt.Fprintf(a.Out, "✓ none of %d definitions changed since %s\n", b.Count(), safe.Clean(b.Taken))
		return err
	}
	return statusFound
}

// listed has a recording with the lists of a server: the one that is named, or of a session
// that is made now.
func (a *app) listed(ctx context.Context, s *asking, args []string, do func([]string) error) error {
	if len(s.command) == 0 && len(args) == 1 && !strings.Contains(args[0], "://") {
		return a.read(args, do)
	}
	args, err := s.find(a, args)
	if err == nil && len(args) > 0 {
		err = usagef("baseline takes one server")
	}
	if err != nil {
		return err
	}
	client, err := s.open(ctx, a, "baseline", nil)
	if err != nil {
		return err
	}
	err = client.ListAll()
	if file := client.Close(); err == nil {
		err = do([]string{file})
	}
	return err
}

// contract is midwire contract.
func (a *app) contract() *cobra.Command {
	output := ""
	c := &cobra.Command{
		Use:   "contract REC [-o FILE]",
		Short: "Make a contract of a good session, for midwire check",
		Args:  cobra.ExactArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.read(args, func(files []string) error {
				k, rule := expect.Draft()
				if _, err := library.CheckUntil(cmd.Context(), files, []*diagnose.Rule{rule}, nil); err != nil {
					return err
				}
				if len(k.Tools) == 0 {
					return errors.New("the recording calls no tool")
				}
				text, err := k.Write()
				if err != nil {
					return err
				}
				return a.wrote(output, text, fmt.Sprintf(": %d tools", len(k.Tools)))
			})
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	return c
}
