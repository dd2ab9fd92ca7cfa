//go:build !windows

package hub_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// alive says whether a process runs: one that has ended may not be buried yet.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
