package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"midwire/intercept/clients/syntax"
	"midwire/session/safefile"
	"midwire/session/words"
)

// maxFile is more than any configuration has; ~/.claude.json has megabytes.
const maxFile = 64 << 20

// parse reads a configuration.
func parse(path string) (*syntax.File, error) {
	data, err := safefile.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	return syntax.Parse(formatOf(path), data)
}

func formatOf(path string) syntax.Format {
	switch words.Fold(filepath.Ext(path)) {
	case ".toml":
		return syntax.TOML
	case ".yaml", ".yml":
		return syntax.YAML
	}
	return syntax.JSON
}

// writable returns the file that a path leads to, through links. Its error says
// why midwire does not write it.
func writable(path string) (target string, info os.FileInfo, err error) {
	if target, err = filepath.EvalSymlinks(path); err != nil {
		return "", nil, err
	}
	if target, err = filepath.Abs(target); err != nil {
		return "", nil, err
	}
	if info, err = os.Stat(target); err != nil {
		return "", nil, err
	}
	switch who := safefile.Shared(filepath.Dir(target)); {
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("%s: %w", target, safefile.ErrNoFile)
	case !safefile.IsOurs(info):
		return "", nil, fmt.Errorf("%s belongs to another user", target)
	case info.Mode()&0o002 != 0:
		return "", nil, fmt.Errorf("everyone may write to %s: remove that permission first (chmod o-w)", target)
	case info.Mode()&0o200 == 0:
		return "", nil, fmt.Errorf("%s is read-only", target)
	case who != "":
		return "", nil, fmt.Errorf("others could change %s meanwhile: %s", target, who)
	case links(info) > 1:
		return "", nil, fmt.Errorf("%s has a second name (a hard link), which replacing it would cut off", target)
	}
	return target, info, nil
}

// errMeanwhile: someone wrote the file after it was read.
var errMeanwhile = errors.New("the file changed meanwhile")

// replace writes a file again beside itself and renames it, if it still is what
// was read. Mode, owner, group and links stay.
func replace(path string, before, after []byte) error {
	target, info, err := writable(path)
	if err != nil {
		return err
	}
	sweep(target)
	err = safefile.Replace(target, func(w io.Writer) error {
		if _, err := w.Write(after); err != nil {
			return err
		}
		now, err := safefile.Read(target, maxFile)
		if err == nil && !bytes.Equal(now, before) {
			err = errMeanwhile
		}
		return err
	})
	if err == nil {
		err = keepGroup(target, info)
	}
	if err != nil {
		return err
	}
	if now, err := safefile.Read(target, maxFile); err != nil || !bytes.Equal(now, after) {
		return errors.Join(fmt.Errorf("%s: another program wrote it right after midwire, and may have undone the change: "+
			"close the client and try again", target), err)
	}
	return nil
}

// sweep removes what a midwire that was killed left beside a file: what was to
// take its place. It may be called while no other midwire writes the file.
func sweep(path string) {
	dir, base := filepath.Split(path)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), "."+base+"-")
		if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && safefile.IsOurs(info) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
