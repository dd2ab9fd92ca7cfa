package launch

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func request(t *testing.T, env map[string]string) Request {
	return Request{
		Folder: filepath.Join(t.TempDir(), "run"), Proxy: "http://midwire:s@127.0.0.1:1", CA: []byte("OURS\n"),
		Hosts: []string{"mcp.corp.example"}, Local: []string{"localhost", "127.0.0.1", "::1"},
		Getenv: func(name string) string { return env[name] },
	}
}

func (s *Setup) get(name string) string {
	for _, one := range s.Settings {
		if one.Name == name {
			return one.Value
		}
	}
	return ""
}

func TestSettings(t *testing.T) {
	own := filepath.Join(t.TempDir(), "company.pem")
	if err := os.WriteFile(own, []byte("COMPANY"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := request(t, map[string]string{
		"NO_PROXY": "internal.example, .corp.example,10.0.0.0/8", "SSL_CERT_FILE": own, "NODE_EXTRA_CA_CERTS": own,
	})
	s, err := Prepare(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if s.get(name) != r.Proxy {
			t.Errorf("%s=%s", name, s.get(name))
		}
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if got := s.get(name); got != "internal.example,10.0.0.0/8,localhost,127.0.0.1,::1" {
			t.Errorf("%s=%s", name, got)
		}
	}
	for name, want := range map[string]string{
		"SSL_CERT_FILE": "COMPANY\nOURS\n", "NODE_EXTRA_CA_CERTS": "COMPANY\nOURS\n", "DENO_CERT": "OURS\n",
	} {
		if got, err := os.ReadFile(s.get(name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	// What replaces the system's certificates holds them too, or is not set.
	if file := s.get("CURL_CA_BUNDLE"); file != "" {
		if got, _ := os.ReadFile(file); !strings.HasSuffix(string(got), "OURS\n") || len(got) < 1000 {
			t.Errorf("CURL_CA_BUNDLE holds %d bytes", len(got))
		}
	}
	s.Close()
	if left, _ := os.ReadDir(r.Folder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestThisMachineIsSeen(t *testing.T) {
	r := request(t, map[string]string{"no_proxy": "localhost,127.0.0.0/8,*.example"})
	r.Hosts = r.Local
	s, err := Prepare(r)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.get("no_proxy"); got != "*.example" {
		t.Errorf("no_proxy=%s", got)
	}
}

func TestSweep(t *testing.T) {
	r := request(t, nil)
	host, _ := os.Hostname()
	dead, foreign := host+".4194999.abc", "other-machine.4194999.abc"
	for _, name := range []string{dead, foreign} {
		if err := os.MkdirAll(filepath.Join(r.Folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Prepare(r)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := os.Stat(filepath.Join(r.Folder, dead)); err == nil {
		t.Error("what a killed run left is still there")
	}
	if _, err := os.Stat(filepath.Join(r.Folder, foreign)); err != nil {
		t.Error("a folder of another machine is gone")
	}
}

func TestCovers(t *testing.T) {
	for _, tc := range []struct {
		entry, host string
		want        bool
	}{
		{"*", "a.test", true},
		{"a.test", "a.test", true},
		{"A.test:8443", "a.test", true},
		{".test", "a.test", true},
		{"*.test", "a.test", true},
		{"test", "a.test", true},
		{"b.test", "a.test", false},
		{"127.0.0.0/8", "127.0.0.1", true},
		{"10.0.0.0/8", "127.0.0.1", false},
		{"::1", "::1", true},
	} {
		if covers(tc.entry, tc.host) != tc.want {
			t.Errorf("%s covers %s: %v", tc.entry, tc.host, !tc.want)
		}
	}
}

func TestApply(t *testing.T) {
	got := Apply([]string{"A=1", "B=2", "C=x=y"}, []Setting{{"B", "3"}, {"D", ""}})
	if want := []string{"A=1", "C=x=y", "B=3", "D="}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestScript(t *testing.T) {
	s := []Setting{{"X", `a'b\c`}}
	for shell, want := range map[string]string{
		"sh": `export X='a'\''b\c'` + "\n", "fish": `set -gx X 'a\'b\\c'` + "\n", "powershell": `$env:X = 'a''b\c'` + "\n",
	} {
		if got := Script(shell, s); got != want {
			t.Errorf("%s: %s", shell, got)
		}
	}
}

// Where others could put certificates of their own none are put: the client would
// trust those.
func TestPreparedFolderIsNotUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders there have other rights")
	}
	r := request(t, nil)
	if err := errors.Join(os.Mkdir(r.Folder, 0o700), os.Chmod(r.Folder, 0o777)); err != nil {
		t.Fatal(err)
	}
	s, err := Prepare(r)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Dir(s.get("NODE_EXTRA_CA_CERTS"))
	info, err := os.Stat(at)
	if err != nil || info.Mode().Perm() != 0o700 || strings.HasPrefix(at, r.Folder) || s.Odd == nil {
		t.Errorf("%s: %v, %v, odd: %v", at, info, err, s.Odd)
	}
	s.Close()
	if _, err := os.Stat(at); err == nil || strings.Contains(at, "run.") {
		t.Errorf("%s is left", at)
	}
	t.Setenv("TMPDIR", r.Folder)
	if s, err := Prepare(r); err == nil {
		t.Errorf("the certificates are in %s", s.dir)
	}
}

// A file of certificates that does not end is refused, and says so.
func TestEndlessCertificates(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	_, err := Prepare(request(t, map[string]string{"NODE_EXTRA_CA_CERTS": "/dev/zero"}))
	if err == nil || !strings.Contains(err.Error(), "NODE_EXTRA_CA_CERTS: /dev/zero: it is longer than") {
		t.Error(err)
	}
}
