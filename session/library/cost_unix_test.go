//go:build unix

package library

import (
	"syscall"
	"testing"
	"time"

	"midwire/session/diagnose/rules"
)

// BenchmarkCheckToRead is how many times as much as reading it costs to check: by
// the clock and in CPU, in turns, so that what else the machine does falls on both.
func BenchmarkCheckToRead(b *testing.B) {
	path := manyCalls(b, 200_000)
	var read, check spent
	for b.Loop() {
		read.on(func() error {
			r, err := Read(path)
			if err == nil {
				r.Reader.Close()
			}
			return err
		}, b)
		check.on(func() error {
			_, err := Check([]string{path}, rules.All())
			return err
		}, b)
	}
	b.ReportMetric(check.clock.Seconds()/read.clock.Seconds(), "clock/read")
	b.ReportMetric(check.cpu.Seconds()/read.cpu.Seconds(), "cpu/read")
}

// spent is what something has cost.
type spent struct{ clock, cpu time.Duration }

func (s *spent) on(do func() error, b *testing.B) {
	cpu, clock := used(b), time.Now()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	s.clock += time.Since(clock)
	s.cpu += used(b) - cpu
}

// used is the CPU that the process has used so far.
func used(b *testing.B) time.Duration {
	var all syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &all); err != nil {
		b.Fatal(err)
	}
	return time.Duration(all.Utime.Nano() + all.Stime.Nano())
}
