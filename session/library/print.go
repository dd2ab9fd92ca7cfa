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
	"midwire/session/pace"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/session/words"
)

const (
	// lastWords is how long the last lines may take to be written. Whoever should
	// read them may have stopped reading: a tap must end anyway.
	lastWords = 2 * time.Second

	// Lines are for people, and cost the proxy time: some at once, and then so many a
	// second. Traffic that is faster is shown once a second, by its latest bytes.
	linesAtOnce, linesPerSecond = 2_000, 1_000
	latestBytes                 = 16 << 10
	lastBytes                   = 4 << 20 // when all is over

	printCost = 512 // a frame costs about what recording so many bytes does
)

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

// Print writes what is followed as lines, as it comes, until ctx has ended and what was
// recorded by then is written. Of traffic faster than anybody reads it leaves out what
// does not matter any more, and says how much that is.
func Print(ctx context.Context, w io.Writer, source *record.Watch) {
	out := bufio.NewWriter(w)
	printers := map[string]*printer{}
	var work pace.Work
	may, at, leaps := float64(linesAtOnce), time.Now(), false
	for {
		news, err := source.Next(ctx)
		if err != nil {
			return
		}
		lines := 0
		for i := range news.Frames {
			f := &news.Frames[i]
			p := printers[f.Rec]
			if p == nil {
				p = newPrinter(len(printers), f.Rec, source)
				printers[f.Rec] = p
			}
			lines += p.print(out, &f.Frame, leaps)
			work.Did(printCost)
		}
		_ = out.Flush() // the reader has left: the traffic continues
		now := time.Now()
		may = min(may+linesPerSecond*now.Sub(at).Seconds(), linesAtOnce) - float64(lines)
		if at, leaps = now, may <= 0; !leaps {
			source.Latest(0)
			continue
		}
		source.Latest(latestBytes)
		select {
		case <-ctx.Done():
			source.Latest(lastBytes)
		case <-time.After(time.Second):
		}
	}
}

// printer prints a recording.
type printer struct {
	*export.Printer
	last  uint64 // the latest frame
	first uint32 // exchange that began behind what was passed over, 0 while there is none
	leapt bool
}

// newPrinter prints the recording that came as the one of that number, from 0.
func newPrinter(number int, id string, source *record.Watch) *printer {
	load := func(n uint64) *wire.Frame {
		frame, err := source.Frame(id, n)
		if err != nil {
			return nil
		}
		return &frame
	}
	return &printer{Printer: export.NewPrinter(letters(number), session.New(session.Options{}), load)}
}

// print writes the lines that a frame is worth, and returns how many there were. leaps
// says that frames may have been passed over.
func (p *printer) print(out io.Writer, f *wire.Frame, leaps bool) (lines int) {
	if missed := f.N - p.last - 1; leaps && p.last != 0 && f.N > p.last+1 {
		p.Restart(session.New(session.Options{}))
		p.leapt, p.first = true, 0
		fmt.Fprintf(out, "… %s not shown\n", words.CountOf(int(missed), "frame", "frames"))
		lines++
	}
	if p.last = f.N; p.leapt && f.X != 0 { // its exchange may have begun in what was passed over
		if p.first == 0 && f.Kind == wire.KindRequest {
			p.first = f.X
		}
		if p.first == 0 || f.X < p.first {
			return lines
		}
	}
	if d := defect.Guard("the printing of a message", f.N, func() {
		for _, line := range p.Feed(f) {
			fmt.Fprintln(out, line)
			lines++
		}
	}); d != nil {
		fmt.Fprintln(out, d)
	}
	return lines
}

// letters counts a, b, … z, aa, ab.
func letters(n int) string {
	if n >= 26 {
		return letters(n/26-1) + string(rune('a'+n%26))
	}
	return string(rune('a' + n))
}
