package gate

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"midwire/session/safefile"
)

// What the address of a control socket starts with in the header of a recording.
const (
	unixAddress = "unix:" // the path of a socket
	fileAddress = "file:" // a file, for its owner alone, with address and secret of a listener on loopback
)

// lonelySocket is a socket in its own folder.
const lonelySocket = "gate.sock"

// maxControllers is how many connections to a socket there are at a time; others wait.
const maxControllers = 16

// longestSocket is how long the path of a socket may be on every system.
const longestSocket = 100

// maxReached is how long the file of a listener on loopback is at most, in bytes.
const maxReached = 4 << 10

// Socket is where a gate is controlled. It is no one's but its owner's: a socket of
// mode 0600 in a folder of mode 0700; where there are no such sockets, a listener on
// loopback with a secret in a file like that.
type Socket struct {
	Address string // for the header of the recording
	path    string
	server  http.Server
}

// Folder is where the gates of taps have their sockets that record into a folder.
func Folder(recordings string) string { return filepath.Join(filepath.Dir(recordings), "gate") }

// NewSocket chooses the address and touches nothing: starting a proxy takes no
// longer for it.
func NewSocket(dir string) *Socket {
	var r [5]byte
	rand.Read(r[:]) // never fails
	return socketAt(dir, strconv.Itoa(os.Getpid())+"-"+hex.EncodeToString(r[:]))
}

// socketName finds in an address what NewSocket chose: the process and some random digits.
var socketName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([1-9][0-9]{0,9}-[0-9a-f]{10})(?:\.sock|\.json|[/\\]gate\.sock)$`)
})

// socketAt is the socket of a name.
func socketAt(dir, name string) *Socket {
	s := &Socket{path: filepath.Join(dir, name+".sock")}
	switch {
	case runtime.GOOS == "windows":
		s.path = filepath.Join(dir, name+".json")
		s.Address = fileAddress + s.path
		return s
	case len(s.path) > longestSocket:
		s.path = filepath.Join(os.TempDir(), "midwire-"+strconv.Itoa(os.Getuid())+"-"+name, lonelySocket)
	}
	s.Address = unixAddress + s.path
	return s
}

// reached is what the file of a listener on loopback says.
type reached struct {
	Address string `json:"address"`
	Secret  string `json:"secret"`
}

// Serve makes the socket and serves the gate until Close.
func (s *Socket) Serve(g *Gate) error {
	dir := filepath.Dir(s.path)
	if err := safefile.Private(dir); err != nil {
		return fmt.Errorf("control socket: %w", err)
	}
	ln, secret, err := s.listen()
	if err != nil {
		return fmt.Errorf("control socket: %w", err)
	}
	defer os.Remove(s.path) // it may have been closed before
	s.server.Handler, s.server.ReadHeaderTimeout, s.server.IdleTimeout = g.Handler(secret), slowest, time.Minute
	s.server.MaxHeaderBytes = 16 << 10
	if err := s.server.Serve(netutil.LimitListener(ln, maxControllers)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("control socket: %w", err)
	}
	return nil
}

func (s *Socket) listen() (ln net.Listener, secret string, err error) {
	if strings.HasPrefix(s.Address, unixAddress) {
		if ln, err = net.Listen("unix", s.path); err != nil {
			return nil, "", err
		}
		return ln, "", os.Chmod(s.path, 0o600)
	}
	if ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, "", err
	}
	var r [32]byte
	rand.Read(r[:]) // never fails
	secret = hex.EncodeToString(r[:])
	said, _ := json.Marshal(reached{ln.Addr().String(), secret}) // two strings
	return ln, secret, os.WriteFile(s.path, said, 0o600)
}

// Close ends serving and removes the socket. The leases end with it. One that was never
// served may be closed, too.
func (s *Socket) Close() {
	s.server.Close()
	if s.path == "" {
		return
	}
	removeSocket(s.path)
}

// removeSocket removes a socket, and the folder of one that has its own.
func removeSocket(path string) {
	os.Remove(path)
	if filepath.Base(path) == lonelySocket {
		os.Remove(filepath.Dir(path))
	}
}
