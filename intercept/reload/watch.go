package reload

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"midwire/session/wire"
)

const (
	lookEvery = 500 * time.Millisecond
	mostFiles = 20_000 // that are looked at
	// A file that changes soon behind the start of the server, so many times in a row, is
	// written by the server, and is watched no longer. People save that often, but not behind
	// every start.
	soon      = 5 * time.Second
	mostQuick = 6
)

// stamp is by what a change of a file shows.
type stamp struct {
	size int64
	at   time.Time
}

// watch asks for a restart when watched files have changed and then stayed the same for a
// while, as behind a build.
func (k *Keeper) watch() {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	w := watcher{globs: k.opt.Watch, dir: k.opt.Dir, quick: map[string]int{}}
	settled := w.look()
	for last := settled; ; {
		select {
		case <-look.C:
		case <-k.done:
			return
		}
		k.note()
		now := w.look()
		if !maps.Equal(now, last) || maps.Equal(now, settled) {
			last = now
			continue
		}
		changed := changes(settled, now)
		settled = now
		if own := w.ownDoing(changed, time.Since(time.Unix(0, k.started.Load()))); len(own) > 0 {
			k.opt.Say(wire.EditReload, strings.Join(own, ", ")+" changes each time the server starts", "watched no longer")
			changed = slices.DeleteFunc(changed, func(name string) bool { return w.quick[name] >= mostQuick })
		}
		if len(changed) > 0 {
			_ = k.Restart(named(changed))
		}
	}
}

// note notes what descends from a process that has done something lately: of one that has
// ended, no one can tell any more.
func (k *Keeper) note() {
	k.mu.Lock()
	c := k.child
	k.mu.Unlock()
	if c != nil && k.spoke.Swap(false) {
		c.Note()
	}
}

type watcher struct {
	globs []string
	dir   string
	quick map[string]int // how often a file changed right behind a start, by name
}

// ownDoing counts the changes right behind a start, and returns those that are the server's.
func (w *watcher) ownDoing(changed []string, since time.Duration) (own []string) {
	for _, name := range changed {
		if since > soon {
			delete(w.quick, name)
			continue
		}
		if w.quick[name]++; w.quick[name] >= mostQuick {
			own = append(own, filepath.Base(name))
		}
	}
	return own
}

// look is what there is now. A file that cannot be read is none.
func (w *watcher) look() map[string]stamp {
	all := map[string]stamp{}
	for _, glob := range w.globs {
		if !filepath.IsAbs(glob) && w.dir != "" {
			glob = filepath.Join(w.dir, glob)
		}
		matching(glob, func(name string) bool {
			if info, err := os.Stat(name); err == nil && !info.IsDir() && w.quick[name] < mostQuick {
				all[name] = stamp{info.Size(), info.ModTime()}
			}
			return len(all) < mostFiles
		})
	}
	return all
}

// matching yields the files of a glob, in which ** stands for folders at any depth, but for
// hidden ones and for those of packages.
func matching(glob string, yield func(string) bool) {
	root, rest, deep := strings.Cut(filepath.ToSlash(glob), "**")
	if !deep {
		names, _ := filepath.Glob(glob) // Check has refused bad ones
		for _, name := range names {
			if !yield(name) {
				return
			}
		}
		return
	}
	rest = cmp.Or(strings.TrimPrefix(rest, "/"), "*")
	root = filepath.Clean(filepath.FromSlash(root))
	depth := strings.Count(rest, "/") + 1
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir():
			if base := d.Name(); name != root && (strings.HasPrefix(base, ".") || base == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		parts := strings.Split(filepath.ToSlash(name), "/")
		if ok, _ := path.Match(rest, strings.Join(parts[max(0, len(parts)-depth):], "/")); ok && !yield(name) {
			return filepath.SkipAll
		}
		return nil
	})
}

// Check says what is wrong with a glob.
func Check(glob string) error {
	if strings.Count(glob, "**") > 1 {
		return fmt.Errorf("%q has ** twice: use it once, like src/**/*.ts", glob)
	}
	if _, err := path.Match(strings.Replace(glob, "**", "*", 1), "x"); err != nil || glob == "" {
		return fmt.Errorf("%q is no pattern of files like src/*.js or src/**/*.ts", glob)
	}
	return nil
}

// Literally is the glob of one file.
func Literally(name string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(name)
}

// changes are the names that are not the same in both.
func changes(was, now map[string]stamp) (names []string) {
	for name, s := range now {
		if was[name] != s {
			names = append(names, name)
		}
	}
	for name := range was {
		if _, there := now[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func named(changed []string) string {
	text := filepath.Base(changed[0])
	if len(changed) > 1 {
		text += fmt.Sprintf(" and %d more", len(changed)-1)
	}
	return text + " changed"
}
