package mock

import (
	"bufio"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"midwire/fixtures/replaytest"
	"midwire/session/wire"
)

// TestProgressComesBeforeTheResponse: progress and the response to its call are not read
// together, for clients handle what they read together in another order.
func TestProgressComesBeforeTheResponse(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":1}}}`
	m := &Server{Script: load(t, replaytest.Tape(t, "stdio", "> "+request+`
		< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
		< {"jsonrpc":"2.0","id":1,"result":{}}`))}
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		go func() { outW.CloseWithError(m.Stdio(t.Context(), inR, outW)) }()
		fmt.Fprintf(inW, "%s\n", request)
		progress, began := time.Time{}, time.Now()
		for lines := bufio.NewScanner(outR); lines.Scan(); {
			if got, _ := wire.ScanMessage(lines.Bytes()); got.IsResponse() {
				break
			}
			progress = time.Now()
		}
		if progress.IsZero() || time.Since(progress) < apart || time.Since(began) > 10*apart {
			t.Errorf("progress after %v, the response %v later", progress.Sub(began), time.Since(progress))
		}
		inW.Close()
	})
}
