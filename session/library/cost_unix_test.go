//go:build unix

package library

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"midwire/session/diagnose/rules"
)

// BenchmarkCheckToRead is how many times as much as reading it costs to check: by the
// clock and in CPU, each the least of the runs, as others use the machine too.
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

// spent is what something has cost at least.
type spent struct{ clock, cpu time.Duration }

func (s *spent) on(do func() error, b *testing.B) {
	runtime.GC()
	cpu, clock := used(b), time.Now()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	took, worked := time.Since(clock), used(b)-cpu
	if s.clock == 0 || took < s.clock {
		s.clock = took
	}
	if s.cpu == 0 || worked < s.cpu {
		s.cpu = worked
	}
}

// used is the CPU that the process has used so far.
func used(b *testing.B) time.Duration {
	var all syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &all); err != nil {
		b.Fatal(err)
	}
	return time.Duration(all.Utime.Nano() + all.Stime.Nano())
}
