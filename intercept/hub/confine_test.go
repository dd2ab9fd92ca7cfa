package hub_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/intercept/hub"
	"midwire/intercept/hub/confine"
)

// TestH7FilesOfTheSession: a local server reaches the files of its session's
// directories and no others: not by .., by links out of them, or those of another
// session. Where the system cannot limit that, the session says so.
func TestH7FilesOfTheSession(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	top := resolve(t, t.TempDir())
	a, b := filepath.Join(top, "a"), filepath.Join(top, "b")
	for _, dir := range []string{a, b, filepath.Join(a, "sub")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{a + "/in.txt": "mine", a + "/sub/in.txt": "mine too", b + "/out.txt": "theirs"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{a + "/out": b, a + "/out.txt": b + "/out.txt", a + "/inside": a + "/sub"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	server := raw("filesystem", `,"executionContext":"local","workingDirectory":"{workingDirectory}","allowedDirectories":["{workingDirectory}"]`)
	r := start(t, []string{server}, func(h *hub.Hub) {
		if confine.Supported() {
			h.Confine = []string{self, "confine"}
		}
	})
	c := r.client("/mcp")
	got := c.init(fmt.Sprintf(`{"workingDirectory":%q}`, a))
	says := fmt.Sprint(got["servers"].(map[string]any)["filesystem"])
	if !confine.Supported() {
		want(t, says, "not limited on this system")
		t.Skip("this system cannot limit the files of a program")
	}
	want(t, says, "Landlock")
	cat := func(path string) string { return c.call("filesystem_cat", fmt.Sprintf(`{"path":%q}`, path)) }
	for _, path := range []string{"in.txt", a + "/in.txt", "sub/../in.txt", "inside/in.txt"} {
		want(t, cat(path), `"text":"mine`)
	}
	for _, path := range []string{b + "/out.txt", "../b/out.txt", "out/out.txt", "out.txt", "sub/../../b/out.txt", "/proc/self/root" + b + "/out.txt"} {
		if got := cat(path); strings.Contains(got, "theirs") || !strings.Contains(got, "permission denied") {
			t.Errorf("%s: %s", path, got)
		}
	}
	write := func(path string) string { return c.call("filesystem_write", fmt.Sprintf(`{"path":%q}`, path)) }
	want(t, write("new.txt"), `"error":"<nil>"`)
	for _, path := range []string{b + "/new.txt", "../b/new.txt", "out/new.txt", "out.txt", filepath.Join(filepath.Dir(self), "new")} {
		want(t, write(path), "permission denied")
	}
	other := r.client("/mcp")
	other.init(fmt.Sprintf(`{"workingDirectory":%q}`, b))
	want(t, other.call("filesystem_cat", `{"path":"out.txt"}`), "theirs")
	want(t, other.call("filesystem_cat", fmt.Sprintf(`{"path":%q}`, a+"/in.txt")), "permission denied")
}
