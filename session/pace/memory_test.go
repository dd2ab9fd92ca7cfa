package pace

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// The limit grows with what is needed, so that collecting comes to rest; a
// limit of the user stays.
func TestMemory(t *testing.T) {
	stop := Memory(144<<20, 8)
	defer debug.SetMemoryLimit(math.MaxInt64)
	need := make([]byte, 300<<20)
	for debug.SetMemoryLimit(-1) < int64(len(need)) {
		runtime.GC()
	}
	runtime.KeepAlive(need)
	stop()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("a limit of %d is left behind", got)
	}
	debug.SetMemoryLimit(1 << 30)
	Memory(144<<20, 8)()
	if got := debug.SetMemoryLimit(-1); got != 1<<30 {
		t.Errorf("the user's limit became %d", got)
	}
}
