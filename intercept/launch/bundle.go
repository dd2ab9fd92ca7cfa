package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"midwire/session/safefile"
	"midwire/session/words"
)

// systemBundles are where systems keep the certificates that programs trust.
var systemBundles = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// maxBundle is how long a file of certificates may be.
const maxBundle = 16 << 20

// Setup is what clients of one run need: the settings, and a folder with
// certificates of authorities. No key is in it.
type Setup struct {
	Settings []Setting
	Odd      error // why the files are not in the folder of runs, nil when they are
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
// killed have left. A folder of runs that others could change, or that cannot be
// written, is not used: a client trusts what these files say.
func Prepare(r Request) (*Setup, error) {
	s := &Setup{}
	files := map[string][]byte{}
	for _, v := range variables {
		value, err := r.value(v, files)
		if err != nil {
			return nil, err
		}
		if value != "" || v.kind == bypass {
			s.Settings = append(s.Settings, Setting{v.name, value})
		}
	}
	if s.Odd = s.write(r.Folder, files); s.Odd != nil {
		if err := s.write("", files); err != nil {
			return nil, fmt.Errorf("certificates for the client: %w", errors.Join(s.Odd, err))
		}
	}
	return s, nil
}

// write puts the files into a folder of this run in that of runs, "" for where the
// system has such, and their names into the settings.
func (s *Setup) write(runs string, files map[string][]byte) (err error) {
	if s.dir, err = folder(runs); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(s.dir, name), data, 0o600); err != nil {
			s.Close()
			return err
		}
	}
	for i, one := range s.Settings {
		if _, ok := files[one.Value]; ok {
			s.Settings[i].Value = filepath.Join(s.dir, one.Value)
		}
	}
	return nil
}

// folder makes the folder of this run, and removes those of runs that are over.
func folder(runs string) (string, error) {
	if runs == "" {
		return safefile.Temp("", "midwire-run-")
	}
	if err := safefile.Private(runs); err != nil {
		return "", err
	}
	sweep(runs)
	return safefile.Temp(runs, folderPrefix())
}

// value is what a variable is to be; "" leaves it as it is. Of one that names a file
// of certificates it is the name of one in files.
func (r *Request) value(v variable, files map[string][]byte) (string, error) {
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
	all, err := bundle(given)
	if err != nil {
		return "", fmt.Errorf("%s: %w", v.name, err)
	}
	file := words.Fold(v.name) + ".pem"
	files[file] = append(all, r.CA...)
	return file, nil
}

// bundle is what the certificates of a file are, each on its own lines.
func bundle(given string) (all []byte, err error) {
	if given == "" {
		return nil, nil
	}
	all, err = safefile.ReadGiven(given, maxBundle)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if len(all) > 0 && !bytes.HasSuffix(all, []byte("\n")) {
		all = append(all, '\n')
	}
	return all, err
}

// Close removes the files.
func (s *Setup) Close() { _ = os.RemoveAll(s.dir) }

// folderPrefix is how names of folders of this process begin. Machines may share a home.
func folderPrefix() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s.%d.", strings.ReplaceAll(host, string(filepath.Separator), "_"), os.Getpid())
}

// sweep removes the folders of runs on this machine that are over.
func sweep(folder string) {
	for _, dir := range Leftovers(folder) {
		_ = os.RemoveAll(dir)
	}
}

// Leftovers lists the folders of runs on this machine that were killed. The next run
// removes them.
func Leftovers(folder string) (dirs []string) {
	host, _, _ := cutLast(strings.TrimSuffix(folderPrefix(), "."))
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

// Private makes a file for the client of this run alone: in memory where the
// system has that, else in a folder for runs, where one that was killed leaves
// it until the next run removes it.
func Private(runs string, data []byte) (name string, remove func(), err error) {
	if name, remove, err = InMemory(data); err == nil {
		return name, remove, nil
	}
	dir, err := folder(runs)
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	name = filepath.Join(dir, "settings.json")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		remove()
		return "", nil, err
	}
	return name, remove, nil
}
