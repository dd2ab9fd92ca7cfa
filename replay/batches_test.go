package replay

import (
	"strings"
	"testing"

	"midwire/fixtures/replaytest"
	"midwire/session/wire"
)

// Of a batch, as many messages are kept as are read, however many a few compressed bytes hold.
func TestMessagesOfABatchAreBounded(t *testing.T) {
	const last = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	text := "\n> [" + strings.Repeat("[],", 1<<20) + last + "]"
	s := load(t, replaytest.Tape(t, "stdio", text))
	got, err := s.Element(2, 0)
	if kept := len(s.batches.kept[0].items); err != nil || string(got) != "[]" || kept != wire.MaxBatch+1 {
		t.Errorf("%s, %v, %d messages kept", got, err, kept)
	}
}
