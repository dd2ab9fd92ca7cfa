package summary

import (
	"context"
	"fmt"
	"os"
	"testing"

	"midwire/session/record"
	"midwire/session/wire"
)

// benched are the recordings of the folder MIDWIRE_BENCH, or else one of 10,000
// frames over stdio.
func benched(b *testing.B) []record.Entry {
	if dir := os.Getenv("MIDWIRE_BENCH"); dir != "" {
		all, err := record.List(dir)
		if err != nil || len(all) == 0 {
			b.Skip("no recordings in MIDWIRE_BENCH")
		}
		return all
	}
	return []record.Entry{{ID: "many", Path: manyFrames(b, b.TempDir(), "many", 10_000)}}
}

// manyFrames is a recording of n frames: calls of one client over stdio.
func manyFrames(t testing.TB, dir, id string, n int) string {
	w, err := record.Create(dir, record.Header{ID: id, Started: begun(), Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	line := func(d wire.Dir, text string) {
		w.Append(&wire.Frame{Kind: wire.KindLine, Dir: d, Data: []byte(text), EOL: "\n"})
	}
	line('>', `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"2"}}}`)
	line('<', `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}}`)
	line('>', `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := 1; i < n/2; i++ {
		line('>', fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_notes","arguments":{"query":"release %d","limit":%d},"_meta":{"progressToken":%d}}}`, i, i, i%9, i))
		line('<', fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"note %d: the release is on Friday, ask Mira; see also note %d"}],"isError":false}}`, i, i, i+1))
	}
	w.Close()
	return w.Path()
}

func BenchmarkMake(b *testing.B) {
	all := benched(b)
	frames := 0
	for i := 0; b.Loop(); i++ {
		s, err := Make(context.Background(), all[i%len(all)].Path)
		if err != nil {
			b.Fatal(err)
		}
		frames += s.Frames
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frames), "ns/frame")
}

// BenchmarkRead reads summaries that were kept.
func BenchmarkRead(b *testing.B) {
	all := benched(b)
	for i := range all {
		if _, err := Get(context.Background(), all[i].Path); err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		if _, ok := Read(all[i%len(all)].Path); !ok {
			b.Fatal("no summary is kept")
		}
	}
}
