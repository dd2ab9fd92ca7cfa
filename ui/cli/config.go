package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"midwire/intercept/clients"
	"midwire/session/library/prune"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/config"
)

func (a *app) config() *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "Print the configuration, all options, and the installation",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, there, err := a.configuration()
			if err != nil {
				return err
			}
			path := cmp.Or(a.look.File, a.usualConfig(), "none")
			if !there {
				path += " (not there: the defaults below are used)"
			}
			var head strings.Builder
			for _, line := range [...][2]string{
				{"program", a.programLine()},
				{"configuration", path},
				{"recordings", a.recordingsLine()},
				{"wrapped", a.wrappedLine()},
			} {
				fmt.Fprintf(&head, "%-14s %s\n", line[0], safe.Line(line[1]))
			}
			_, err = io.WriteString(a.Out, config.Print(c, head.String()))
			return err
		},
	}
}

// programLine names this midwire, and another one that clients would start.
func (a *app) programLine() string {
	own, err := os.Executable()
	if err != nil {
		own = "midwire"
	}
	text := fmt.Sprintf("midwire %s for %s/%s: %s", a.Version, runtime.GOOS, runtime.GOARCH, own)
	switch found, err := exec.LookPath("midwire"); {
	case err != nil:
		text += "; it is not in the PATH"
	case !sameFile(found, own):
		text += "; the PATH finds " + found + " first"
	}
	return text
}

// recordingsLine names the folder of recordings, and why it cannot be used.
func (a *app) recordingsLine() string {
	dir, err := a.folder()
	if err != nil {
		return err.Error()
	}
	all, err := record.List(dir)
	if err != nil {
		return err.Error()
	}
	var size int64
	unread := 0
	for _, r := range all {
		if size += r.Size; r.Err != nil {
			unread++
		}
	}
	text := fmt.Sprintf("%s (%s, %s)", dir, words.Count(len(all), "recording"), prune.Bytes(size))
	if unread > 0 {
		text += fmt.Sprintf("; %d cannot be read", unread)
	}
	if err := errors.Join(writable(dir), record.CheckFolder(dir)); err != nil {
		text += "; " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return text
}

// writable reports why nothing can be created in a folder, or in what is there of the
// path to it. Permissions, mounts and quotas are all tried at once.
func writable(dir string) error {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".midwire-config-*")
	if err != nil {
		return fmt.Errorf("not writable: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// wrappedLine counts the servers that start through midwire, and names those that do not
// start any more.
func (a *app) wrappedLine() string {
	env, err := a.machine(".")
	if err != nil {
		return err.Error()
	}
	files, wrapped := 0, 0
	var bad []string
	for _, client := range clients.All() {
		found, err := env.Find(client, "")
		if err != nil { // of midwire's own record, so it is the same for each client
			return err.Error()
		}
		for _, f := range found {
			files++
			for _, s := range f.Servers {
				if s.Wrapped {
					wrapped++
				}
				if s.Program == "" {
					continue
				}
				if _, err := exec.LookPath(s.Program); err != nil {
					bad = append(bad, client.ID+"/"+s.At.Name+" starts "+s.Program+", which is not there")
				}
			}
		}
	}
	text := fmt.Sprintf("%s in %s", words.Count(wrapped, "server"), words.CountOf(files, "file of clients", "files of clients"))
	return strings.Join(append([]string{text}, bad...), "; ")
}

// sameFile reports whether two paths are of one file.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (a *app) usualConfig() string { return config.Usual(a.Getenv, a.UserConfig) }

// configuration is what is configured, with the flags on top; there reports whether
// there is a file. Its errors are those of usage; unknown keys are warnings. Only what
// shows a screen, or prunes, asks for it: a proxy that a client launches reads no file.
func (a *app) configuration() (c config.Config, there bool, err error) {
	if c, there, err = a.look.Load(a.usualConfig()); err != nil {
		err = usageError{err}
	}
	for _, text := range c.Unknown {
		a.printError(errors.New("warning: " + text))
	}
	return c, there, err
}
