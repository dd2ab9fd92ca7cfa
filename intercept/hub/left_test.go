package hub_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestNothingIsLeftOver: when a hub has ended, so have its processes, goroutines
// and open files, whatever was under way.
func TestNothingIsLeftOver(t *testing.T) {
	files := openFiles()
	r := start(t, []string{raw("one", ""), raw("two", ""), remote("far", sdkHTTP(t, "far", nil)), `"none":{"command":"/no/such"}`}, nil)
	c, routed := r.client("/mcp"), r.client("/far/mcp")
	c.initialize()
	routed.initialize()
	pid := pidOf(t, c.call("one_where", "{}"))
	c.call("far_echo", "{}")
	ctx, cancel := context.WithCancel(context.Background())
	heard := c.listen(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.send("POST", "/mcp", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"two_hang"}}`)
	}()
	want(t, <-heard, "hanging")
	r.stop()
	cancel()
	<-over
	if alive(pid) {
		t.Errorf("process %d is left over", pid)
	}
	var mine string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); runtime.Gosched() {
		stacks := make([]byte, 1<<20)
		mine = ""
		for s := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(s, "midwire/intercept") && !strings.Contains(s, "hub_test.") {
				mine += s + "\n\n"
			}
		}
		if mine == "" {
			break
		}
	}
	if mine != "" {
		t.Errorf("goroutines are left over:\n%s", mine)
	}
	if now := openFiles(); now > files+16 { // connections of the test's own
		t.Errorf("%d files were open, now %d", files, now)
	}
}

// openFiles counts the files of this process, where that can be seen.
func openFiles() int {
	all, _ := os.ReadDir("/proc/self/fd")
	return len(all)
}
