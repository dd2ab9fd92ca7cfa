package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	protocol "midwire/session/mcp"
	"midwire/session/wire"
)

// Stdio is a transport of lines that no line ends. The SDK's own gives the connection
// up at one that is no message; here such a line gets an error response, and the
// messages around it are served.
type Stdio struct {
	Reader io.ReadCloser
	Writer io.WriteCloser
}

// Connect implements mcp.Transport.
func (s *Stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	out := &lockedWriter{to: s.Writer}
	passed, pass := io.Pipe()
	go func() {
		err := sift(s.Reader, pass, out)
		_ = pass.CloseWithError(err) // nil is the end of the input
	}()
	in := &sifted{PipeReader: passed, from: s.Reader}
	return (&mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: 2 * MaxRequest}).Connect(ctx)
}

// sifted is what is left of the input.
type sifted struct {
	*io.PipeReader
	from io.Closer
}

// Close ends reading of both.
func (s *sifted) Close() error { return errors.Join(s.PipeReader.Close(), s.from.Close()) }

// lockedWriter has several writers of whole messages.
type lockedWriter struct {
	mu sync.Mutex // guards to
	to io.WriteCloser
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func (w *lockedWriter) Close() error { return w.to.Close() }

// sift passes on the lines that are messages, those of a batch one by one, and
// answers all others, until the input ends or the output is closed.
func sift(from io.Reader, pass, answer io.Writer) error {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		line, long, err := readLine(r)
		bad := []byte(nil)
		switch line = bytes.TrimSpace(line); {
		case long:
			bad = refusal(nil, protocol.CodeInvalidRequest, fmt.Errorf("a line of more than %d MiB", MaxRequest>>20))
		case len(line) == 0:
		case !json.Valid(line):
			bad = refusal(nil, protocol.CodeParseError, errors.New("parse error: this line is no JSON"))
		default:
			if err := passOn(line, pass, answer); err != nil {
				return err
			}
		}
		if bad != nil {
			if _, err := answer.Write(bad); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// passOn passes on the messages of a line, and answers what is none.
func passOn(line []byte, pass, answer io.Writer) (err error) {
	n := 0
	one := func(_ int, raw []byte) bool {
		n++
		to, out := pass, append(bytes.Clone(raw), '\n')
		if _, bad := jsonrpc.DecodeMessage(raw); bad != nil || raw[0] != '{' {
			to, out = answer, refusal(wire.Get(raw, "id"), protocol.CodeInvalidRequest, errors.New("invalid request: no message of JSON-RPC"))
		}
		_, err = to.Write(out)
		return err == nil
	}
	if line[0] != '[' {
		one(0, line)
		return err
	}
	if wire.Items(line, one); n == 0 {
		_, err = answer.Write(refusal(nil, protocol.CodeInvalidRequest, errors.New("invalid request: an empty batch")))
	}
	return err
}

// readLine reads a line of any length, and keeps one of at most MaxRequest bytes.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > MaxRequest; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// refusal is a line with an error response. An id that can be none is null.
func refusal(id []byte, code int, why error) []byte {
	text, _ := json.Marshal(why.Error()) // a string
	if len(id) == 0 || id[0] == '{' || id[0] == '[' || id[0] == 't' || id[0] == 'f' {
		id = []byte("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, text)
}

// sound has errors that can be written: the SDK puts the URI of a resource that is
// not there into JSON as Go quotes it, and ends the connection when that is no JSON.
func sound(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		var bad *jsonrpc.Error
		if errors.As(err, &bad) && len(bad.Data) > 0 && !json.Valid(bad.Data) {
			return res, &jsonrpc.Error{Code: bad.Code, Message: bad.Message}
		}
		return res, err
	}
}
