package call

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"midwire/replay/peer"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// turning is a server whose list has always one more page, in the last moment of a request.
type turning struct {
	peer.Peer
	pages int
}

func (p *turning) Send(ctx context.Context, _ []byte, _ http.Header) (peer.Response, error) {
	p.pages++
	if p.pages > 3 {
		<-ctx.Done() // the time of one request is an hour
		return peer.Response{}, nil
	}
	m, _ := wire.ScanMessage([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{}],"nextCursor":"again"}}`))
	return peer.Response{Message: m, Came: true}, nil
}

func (p *turning) Exited() bool { return false }

// The pages of a list take their time together, however long one request may take.
func TestPagesEnd(t *testing.T) {
	server := &turning{}
	c := &Client{Session: peer.Session{Peer: server}, ctx: t.Context(), opt: Options{Timeout: time.Hour, Paging: time.Millisecond}}
	if _, err := c.List(mcp.ToolsList, "tools"); err == nil || !strings.Contains(err.Error(), "the pages of tools/list take more than 1ms") {
		t.Error(err)
	}
}
