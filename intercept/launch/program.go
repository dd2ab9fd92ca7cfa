package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"midwire/session/defect"
	"midwire/session/safefile"
	"midwire/session/wire"
	"midwire/session/words"
)

// scripts are the extensions of files that interpreters run. Of any other file that a
// command names nothing is written down: it may hold a secret.
var scripts = [...]string{".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".rb", ".php", ".pl", ".lua", ".jar", ".dll", ".exs"}

// Programs begins to look at the files of a server's command, beside what the caller does
// meanwhile, and returns what waits for them: not long, since a server is never kept waiting
// by a file system that does not respond.
func Programs(path string, args []string, dir string) func() []wire.Program {
	const patience = 20 * time.Millisecond
	found := make(chan []wire.Program, 1)
	go func() {
		defer defect.Recover("the files of a server's program", 0, func(*defect.Defect) { found <- nil })
		found <- programs(path, args, dir)
	}()
	return func() []wire.Program {
		select {
		case all := <-found:
			return all
		case <-time.After(patience):
			return nil
		}
	}
}

// programs are the files of a server's command, so that two recordings can be compared in
// them: the program, the script that an interpreter runs, and the description of the package
// that the last of them lies in. What cannot be read is left out: the server is started all
// the same.
func programs(path string, args []string, dir string) (all []wire.Program) {
	add := func(path string) bool {
		p, ok := describe(path)
		if ok {
			all = append(all, p)
		}
		return ok
	}
	add(path)
	for _, arg := range args[:min(len(args), 8)] {
		if !slices.Contains(scripts[:], words.Fold(filepath.Ext(arg))) {
			continue
		}
		if !filepath.IsAbs(arg) && dir != "" {
			arg = filepath.Join(dir, arg)
		}
		if add(arg) {
			break
		}
	}
	if len(all) == 0 {
		return nil
	}
	const up = 6
	at := filepath.Dir(all[len(all)-1].Path)
	for range up {
		for _, name := range [...]string{"package.json", "pyproject.toml", "go.mod", "Cargo.toml"} {
			if add(filepath.Join(at, name)) {
				return all
			}
		}
		at = filepath.Dir(at)
	}
	return all
}

// describe says what a regular file is.
func describe(path string) (p wire.Program, ok bool) {
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return p, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return p, false
	}
	p = wire.Program{Path: path, Size: info.Size(), Modified: info.ModTime().UTC()}
	if f, err := safefile.Open(path); err == nil { // what may be run need not be readable
		const part = 64 << 10
		sum := sha256.New()
		if _, err = io.Copy(sum, io.NewSectionReader(f, 0, part)); err == nil && p.Size > part {
			_, err = io.Copy(sum, io.NewSectionReader(f, max(part, p.Size-part), part))
		}
		if f.Close(); err == nil {
			p.Hash = hex.EncodeToString(sum.Sum(nil)[:8])
		}
	}
	return p, true
}
