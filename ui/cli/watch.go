package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"midwire/intercept"
	"midwire/replay/backend"
	"midwire/session/defect"
	"midwire/session/library"
	"midwire/session/library/notebook"
	"midwire/session/library/prune"
	"midwire/session/record"
	"midwire/ui"
	"midwire/ui/cli/remote"
	"midwire/ui/gating"
	screen "midwire/ui/term"
)

// watching says what the screen or the printed lines are about, and which of
// the two it is.
type watching struct {
	files         []string  // these recordings; none: all of the library
	since         time.Time // with all: those that began since then
	url, upstream string    // of the tap in this process
	tap           bool
	gated         bool        // whose gate others may control
	piped         bool        // standard input is a recording
	plain, quiet  bool        // lines, or nothing, where a screen could be
	told          chan string // what goes on in a play
}

// hasScreen says whether there is a terminal to draw on, and for keys when
// standard input is a recording.
func (a *app) hasScreen(w watching) bool {
	return !w.plain && !w.quiet && isTerminal(a.Out) && (w.piped || isTerminal(a.In))
}

// watch shows recordings until the user leaves, or prints them until play
// returns; or until ctx ends.
func (a *app) watch(ctx context.Context, w watching, play func(context.Context) error) error {
	if w.quiet {
		return play(ctx)
	}
	dir, err := a.folder()
	if err != nil {
		return err
	}
	source, err := record.NewWatch(dir, w.since, w.files)
	if err != nil {
		return err
	}
	defer source.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if a.hasScreen(w) {
		return a.screen(ctx, dir, source, w, play)
	}
	return library.PrintWhile(ctx, a.Out, source, play)
}

// remote is what the commands for other hosts need.
func (a *app) remote() *remote.Env {
	type play = func(context.Context) error
	show := func(quiet bool) (func(context.Context, play) error, func(string)) {
		w := watching{quiet: quiet, told: make(chan string, 64)}
		run := func(ctx context.Context, play play) error { return a.watch(ctx, w, play) }
		if a.hasScreen(w) {
			return run, tell(w.told)
		}
		return run, nil
	}
	return &remote.Env{In: a.In, Out: a.Out, Err: a.Err, Folder: a.folder, Version: a.Version, Show: show}
}

// screen shows what source follows until the user leaves or ctx ends, and then
// waits for play.
func (a *app) screen(
	ctx context.Context, dir string, source *record.Watch, w watching, play func(context.Context) error,
) error {
	conf, _, err := a.configuration()
	if err != nil {
		return err
	}
	options, err := a.masking()
	if err != nil {
		return err
	}
	ctx, stop := intercept.UntilAsked(intercept.UntilHungUp(ctx, a.Out)) // the terminal is left as it was found
	defer stop()
	a.onTrouble = func(err error) {
		a.keepDefect(err)
		source.Report(err)
	}
	if len(w.files) == 0 && !w.tap { // a tap deletes nothing
		a.background("the deleting of old recordings", func() { prune.AtStart(dir, conf.Prune(), time.Now(), a.onTrouble) })
	}
	replayer := backend.New(backend.Env{
		Dir: dir, Path: source.Path, Own: func(path string) bool { return record.IsOwn(dir, path) },
		Also: source.Add, Getenv: a.Getenv,
		Record: a.create, Options: a.masking, Findings: library.Findings, Schema: library.SchemaFaults,
	})
	defer replayer.Wait()
	followed := newSource(ctx, source, len(w.files) == 0)
	defer followed.Wait()
	if w.told == nil {
		w.told = make(chan string, 64)
	}
	starts := &starter{app: a, ctx: ctx, say: tell(w.told)}
	defer starts.ran.Wait()
	defer stop()
	played := make(chan error, 1)
	folder, _ := os.Getwd()
	go func() { played <- play(ctx) }()
	err = ui.Run(ctx, followed, ui.Options{
		Theme: conf.Theme, ASCII: conf.ASCII, Settings: conf.Settings, NoColor: a.Getenv("NO_COLOR") != "",
		NoBar:   !screen.HasBar(a.Getenv),
		Version: a.Version, TapInProcess: w.tap, Library: len(w.files) == 0 && !w.tap,
		Folder: folder, Replayer: replayer, Starter: starts, Gates: gating.In(dir), Clipboard: a.clipboard(),
		Coder:    &library.Code{Path: source.Path, Own: func(path string) bool { return record.IsOwn(dir, path) }},
		Comparer: &library.Sides{Path: source.Path}, Pair: len(w.files) == 2,
		Filters:  library.FiltersIn(filepath.Dir(dir)),
		Notebook: notebook.In(dir, source.Path, w.piped),
		Exporter: &library.Files{
			Path: source.Path, Frame: source.Frame, Home: a.folder, Options: a.masking, Version: a.Version,
		},
		Defect: func(d *defect.Defect) { a.keepDefect(d) },
		Mask:   library.Mask(options), Told: paced(ctx, w.told),
		Hints: ui.Hints{
			Folder: dir, HTTPURL: w.url, Upstream: w.upstream,
		},
	})
	if err != nil && w.tap && ctx.Err() == nil {
		a.onTrouble = a.printError
		a.onTrouble(fmt.Errorf("the screen has ended: %w. The proxy continues without it; Ctrl-C ends it", err))
		select {
		case err = <-played:
			return err
		case <-ctx.Done():
		}
	}
	stop()
	return errors.Join(err, <-played)
}
