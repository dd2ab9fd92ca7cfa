package intercept

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"
)

// onSocket is what the Host of a URL begins with that stands for a server on a UNIX socket;
// the file follows.
const onSocket = "unix:"

// socketOf is the file of the UNIX socket of a server, "" for one on the network.
func socketOf(u *url.URL) string {
	file, is := strings.CutPrefix(u.Host, onSocket)
	if !is || !strings.ContainsAny(file, `/\`) { // a host of that name, with a port
		return ""
	}
	return file
}

// ShowTarget is the URL of a server as a user gives it, without a password.
func ShowTarget(u *url.URL) string {
	if socketOf(u) == "" {
		return u.Redacted()
	}
	return u.Scheme + "://" + u.Host + ":" + u.RequestURI()
}

// parseSocket reads http://unix:/run/mcp.sock:/mcp, as nginx and clients of Node write it, and
// unix:///run/mcp.sock, as docker does. nil: it is neither.
func parseSocket(raw string) (*url.URL, error) {
	rest, is := strings.CutPrefix(raw, "http://"+onSocket)
	if is && (rest == "" || rest[0] >= '0' && rest[0] <= '9') { // a host of that name
		return nil, nil
	}
	if !is {
		rest, is = strings.CutPrefix(raw, onSocket)
		rest = strings.TrimPrefix(rest, "//")
	}
	if !is {
		return nil, nil
	}
	file, path, _ := strings.Cut(rest, ":")
	u, err := url.Parse(path)
	switch {
	case file == "" || err != nil || path != "" && !strings.HasPrefix(path, "/"):
		return nil, errors.New("give the file and the path, like http://unix:/run/mcp.sock:/mcp")
	case path == "":
		u.Path = "/"
	}
	if file, err = filepath.Abs(file); err != nil {
		return nil, err
	}
	u.Scheme, u.Host = "http", onSocket+file
	return u, nil
}
