package summary

import (
	"context"
	"os"
	"testing"

	"midwire/session/record"
)

// BenchmarkMake and BenchmarkRead want a folder of recordings in
// MIDWIRE_BENCH; without one there is nothing to measure.
func benched(b *testing.B) []record.Entry {
	all, err := record.List(os.Getenv("MIDWIRE_BENCH"))
	if err != nil || len(all) == 0 {
		b.Skip("no recordings in MIDWIRE_BENCH")
	}
	return all
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

func BenchmarkRead(b *testing.B) {
	all := benched(b)
	for i := 0; b.Loop(); i++ {
		if _, ok := Read(all[i%len(all)].Path); !ok {
			b.Fatal("no summary is kept")
		}
	}
}
