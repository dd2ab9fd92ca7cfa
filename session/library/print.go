package library

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/wire"
)

// lastWords is how long the last lines may take to be written. Whoever should
// read them may have stopped reading: a tap must end anyway.
const lastWords = 2 * time.Second

// PrintWhile prints what is followed while play runs, and then what is left.
// It returns what play returned.
func PrintWhile(ctx context.Context, w io.Writer, source *record.Watch, play func(context.Context) error) error {
	over, finish := context.WithCancel(context.Background())
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		Print(over, w, source)
	}()
	err := play(ctx)
	finish()
	select {
	case <-printed:
	case <-time.After(lastWords):
	}
	return err
}

// Print writes what is followed as lines, as it comes, until ctx has ended and
// everything recorded so far is written.
func Print(ctx context.Context, w io.Writer, source *record.Watch) {
	out := bufio.NewWriter(w)
	printers := map[string]*export.Printer{}
	for {
		news, err := source.Next(ctx)
		if err != nil {
			return
		}
		for i := range news.Frames {
			f := &news.Frames[i]
			p := printers[f.Rec]
			if p == nil {
				p = printer(len(printers), f.Rec, source)
				printers[f.Rec] = p
			}
			if d := defect.Guard("the printing of a message", f.Frame.N, func() {
				for _, line := range p.Feed(&f.Frame) {
					fmt.Fprintln(out, line)
				}
			}); d != nil {
				fmt.Fprintln(out, d)
			}
		}
		_ = out.Flush() // the reader has left: the traffic continues
	}
}

// printer prints the recording that came as the one of that number, from 0.
func printer(number int, id string, source *record.Watch) *export.Printer {
	return export.NewPrinter(letters(number), session.New(session.Options{}), func(n uint64) *wire.Frame {
		frame, err := source.Frame(id, n)
		if err != nil {
			return nil
		}
		return &frame
	})
}

// letters counts a, b, … z, aa, ab.
func letters(n int) string {
	if n >= 26 {
		return letters(n/26-1) + string(rune('a'+n%26))
	}
	return string(rune('a' + n))
}
