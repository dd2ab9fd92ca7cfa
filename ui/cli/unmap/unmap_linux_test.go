package unmap

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The program goes on without the pages it started with, and takes less memory.
func TestProgram(t *testing.T) {
	before := mapped(t)
	Program()
	after := mapped(t)
	if after >= before {
		t.Errorf("%d kB of files are mapped, %d kB before", after, before)
	}
	if got := strings.Repeat(fmt.Sprint(after >= 0), 2); got != "truetrue" {
		t.Error(got)
	}
}

func mapped(t *testing.T) (kB int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, rest, ok := strings.Cut(string(status), "RssFile:")
	if _, err := fmt.Sscan(rest, &kB); err != nil || !ok {
		t.Skip("this system does not count them")
	}
	return kB
}
