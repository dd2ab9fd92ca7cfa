//go:build unix

package ui

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// BenchmarkLoadToRead is how many times as much CPU as reading it costs to have a recording of a
// million frames complete on the screen, which is drawn all the while. It fails where that is
// more than mostToRead: what is drawn while a file is read must not look at all of it each time.
func BenchmarkLoadToRead(b *testing.B) {
	const mostToRead = 10
	fs := calls(500_000)
	w, err := record.Create(b.TempDir(), record.Header{ID: "many", Started: started(), Tap: "stdio"}, record.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range fs {
		w.Append(&fs[i])
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	path := w.Path()
	for b.Loop() {
		read := cpuOf(b, func() {
			r, err := library.Read(path)
			if err != nil {
				b.Fatal(err)
			}
			r.Reader.Close()
		})
		load := cpuOf(b, func() { loadDrawing(b, fs) })
		ratio := load.Seconds() / read.Seconds()
		b.ReportMetric(ratio, "cpu/read")
		if ratio > mostToRead {
			b.Fatalf("loading took %v, which is %.1f times reading (%v): at most %d", load, ratio, read, mostToRead)
		}
	}
}

// loadDrawing has a closed recording delivered, and draws after each step of taking it in.
func loadDrawing(b *testing.B, fs []wire.Frame) {
	m := New(newFakeSource(), Options{Now: fixedNow})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(batchMsg{Batch: Batch{Recordings: []Recording{{ID: "p", Label: "p", Tap: "stdio", Started: started()}}}})
	m.View()
	for at := 0; at < len(fs); {
		to := min(at+20_000, len(fs))
		share := float64(to) / float64(len(fs))
		m.Update(batchMsg{Batch: Batch{Frames: tagged("p", fs[at:to]), Loading: map[string]float64{"p": share}}})
		m.View()
		for at = to; len(m.queue) > 0; m.View() {
			m.Update(goOnMsg{})
		}
	}
	if n := len(m.list.Visible); n < len(fs)/2 {
		b.Fatalf("%d rows of %d frames", n, len(fs))
	}
}

// calls is a session of that many calls of tools, all of which are served.
func calls(n int) []wire.Frame {
	var t scenes.Tape
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := range n {
		t.At(int64(i)*10).Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool-%d","arguments":{"text":"row %d"}}}`, i, i%7, i)
		t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"done, row %d"}]}}`, i, i)
	}
	return t.Frames
}

// cpuOf is the CPU that the process uses for something.
func cpuOf(b *testing.B, do func()) time.Duration {
	b.Helper()
	runtime.GC()
	used := func() time.Duration {
		var all syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &all); err != nil {
			b.Fatal(err)
		}
		return time.Duration(all.Utime.Nano() + all.Stime.Nano())
	}
	before := used()
	do()
	return used() - before
}
