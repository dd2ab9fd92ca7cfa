package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// systemBundles are where systems keep the certificates that programs trust.
var systemBundles = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// Setup is what clients of one run need: the settings, and a folder with
// certificates of authorities. No key is in it.
type Setup struct {
	Settings []Setting
	dir      string
}

// Request says what a Setup is for.
type Request struct {
	Folder string              // where folders of runs are
	Proxy  string              // its URL
	CA     []byte              // certificate to trust, PEM
	Hosts  []string            // names and addresses to be seen
	Local  []string            // names and addresses of this machine
	Getenv func(string) string // of the user
}

// Prepare writes the files and says what to set. It removes what runs that were
// killed have left.
func Prepare(r Request) (*Setup, error) {
	if err := os.MkdirAll(r.Folder, 0o700); err != nil {
		return nil, err
	}
	sweep(r.Folder)
	dir, err := os.MkdirTemp(r.Folder, mine()+"*")
	if err != nil {
		return nil, err
	}
	s := &Setup{dir: dir}
	for _, v := range variables {
		value, err := s.value(r, v)
		if err != nil {
			s.Close()
			return nil, err
		}
		if value != "" || v.kind == bypass {
			s.Settings = append(s.Settings, Setting{v.name, value})
		}
	}
	return s, nil
}

// value is what a variable is to be; "" leaves it as it is.
func (s *Setup) value(r Request, v variable) (string, error) {
	given := r.Getenv(v.name)
	switch v.kind {
	case proxyURL:
		return r.Proxy, nil
	case flag:
		return "1", nil
	case bypass:
		if given == "" {
			given = r.Getenv(strings.ToUpper(v.name))
		}
		return bypassed(given, r.Hosts, r.Local), nil
	case replaces:
		for _, file := range systemBundles {
			if given != "" {
				break
			}
			if _, err := os.Stat(file); err == nil {
				given = file
			}
		}
		if given == "" {
			return "", nil // ours alone would be worse than nothing
		}
	}
	return s.bundle(v.name, given, r.CA)
}

// bundle writes the certificates of a file and ours.
func (s *Setup) bundle(name, given string, ca []byte) (string, error) {
	var all []byte
	if given != "" {
		have, err := os.ReadFile(given)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if all = have; len(all) > 0 && !bytes.HasSuffix(all, []byte("\n")) {
			all = append(all, '\n')
		}
	}
	file := filepath.Join(s.dir, strings.ToLower(name)+".pem")
	return file, os.WriteFile(file, append(all, ca...), 0o600)
}

// Close removes the files.
func (s *Setup) Close() { _ = os.RemoveAll(s.dir) }

// mine is how names of folders of this process begin. Machines may share a home.
func mine() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s.%d.", strings.ReplaceAll(host, string(filepath.Separator), "_"), os.Getpid())
}

// sweep removes the folders of runs on this machine that are over.
func sweep(folder string) {
	for _, dir := range Left(folder) {
		_ = os.RemoveAll(dir)
	}
}

// Left lists the folders of runs on this machine that were killed. The next run
// removes them.
func Left(folder string) (dirs []string) {
	host, _, _ := cutLast(strings.TrimSuffix(mine(), "."))
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		name, _, _ := cutLast(e.Name())
		h, id, ok := cutLast(name)
		pid, err := strconv.Atoi(id)
		if ok && err == nil && h == host && pid != os.Getpid() && !alive(pid) {
			dirs = append(dirs, filepath.Join(folder, e.Name()))
		}
	}
	return dirs
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
