package stack

import (
	"strings"
	"testing"
)

// TestFind reads what the runtimes print: the innermost call of the server's own code.
func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		calls      int
	}{
		"node": {`TypeError: Cannot read properties of undefined (reading 'split')
    at tokens (file:///app/node_modules/natural/lib/tokens.js:12:9)
    at search (/app/dist/tools/search.js:41:17)
    at async Server.<anonymous> (/app/node_modules/@modelcontextprotocol/sdk/dist/server/mcp.js:84:20)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`, "search (/app/dist/tools/search.js:41:17)", 3},
		"node without a name": {"Error: x\n    at /app/index.mjs:3:7", "/app/index.mjs:3:7", 1},
		"node on Windows":     {"Error: x\n    at run (C:\\app\\index.js:3:7)", `run (C:\app\index.js:3:7)`, 1},
		"python": {`Traceback (most recent call last):
  File "/usr/lib/python3.12/asyncio/runners.py", line 194, in run
    return runner.run(main)
  File "/srv/app/server.py", line 30, in call_tool
    return search(arguments)
  File "/srv/app/tools/search.py", line 12, in search
    return query.split()
  File "/srv/venv/lib/python3.12/site-packages/nltk/util.py", line 9, in split
    raise KeyError
KeyError: 'query'`, "search (/srv/app/tools/search.py:12)", 4},
		"go": {`panic: runtime error: index out of range [3] with length 2

goroutine 1 [running]:
main.search({0xc000012345, 0x2})
	/home/me/app/search.go:41 +0x1d
main.main()
	/home/me/app/main.go:9 +0x25
runtime.main()
	/usr/local/go/src/runtime/proc.go:283 +0x28b`, "main.search (/home/me/app/search.go:41)", 3},
		"java": {`java.lang.NullPointerException: query
	at java.base/java.util.Objects.requireNonNull(Objects.java:259)
	at com.shop.tools.Search.run(Search.java:41)
	at io.modelcontextprotocol.server.McpServer.call(McpServer.java:9)`, "com.shop.tools.Search.run (Search.java:41)", 3},
		".NET": {`System.ArgumentNullException: Value cannot be null.
   at System.ArgumentNullException.Throw(String paramName) in /_/src/System/ArgumentNullException.cs:line 52
   at Shop.Tools.Search(String query) in C:\src\Shop\Tools.cs:line 41`, `Shop.Tools.Search(String query) (C:\src\Shop\Tools.cs:41)`, 2},
		"rust": {`thread 'main' panicked at src/tools.rs:41:17:
stack backtrace:
   0: rust_begin_unwind
             at /rustc/9fc6b431/library/std/src/panicking.rs:652:5
   1: shop::tools::search
             at ./src/tools.rs:41:17`, "shop::tools::search (./src/tools.rs:41:17)", 2},
		"a sentence":  {"listening at http://localhost:3000/mcp in the year 2026", "", 0},
		"a clock":     {"at 12:30:15", "", 0},
		"an address":  {"    at 127.0.0.1:3000:1", "", 0},
		"a long line": {"    at " + strings.Repeat("x", 5000) + ".js:1:1", "", 0},
	} {
		all := Find(c.text)
		own, ok := OwnCode(all)
		if !ok && c.want != "" || ok && own.String() != c.want || len(all) != c.calls {
			t.Errorf("%s: %v of %v", name, own, all)
		}
	}
}

// FuzzFind: whatever a server prints, a trace is read in time and names lines.
func FuzzFind(f *testing.F) {
	f.Add("    at search (/app/dist/search.js:41:17)\n", "AAEA,OAAO;EACL", 1, 3)
	f.Fuzz(func(t *testing.T, text, mappings string, line, col int) {
		for _, one := range Find(text) {
			if one.File == "" || one.Line < 0 {
				t.Errorf("%+v", one)
			}
		}
		Original(mappings, line, col)
	})
}
