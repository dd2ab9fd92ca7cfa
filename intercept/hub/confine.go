package hub

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"midwire/intercept/hub/plan"
	"midwire/session/safefile"
)

// confined returns the command line and environment of a local server: where the
// platform can limit its files to those of the session, behind what does so. temp
// is its own folder for temporary files; who ends the server removes it.
func (h *Hub) confined(p plan.Part) (command, env []string, temp string, err error) {
	if len(p.Allowed) == 0 || h.Confine == nil {
		return p.Command, h.environment(p.Env), "", nil
	}
	if temp, err = safefile.Temp("", "midwire-hub-"); err != nil {
		return nil, nil, "", err
	}
	add := map[string]string{"TMPDIR": temp}
	maps.Copy(add, p.Env)
	env = h.environment(add)
	command = slices.Clone(h.Confine)
	for _, dir := range append(slices.Clone(p.Allowed), temp) {
		command = append(command, "--write", resolved(dir))
	}
	for _, dir := range append(slices.Clone(p.Read), programFolders(p)...) {
		command = append(command, "--read", resolved(dir))
	}
	return append(append(command, "--"), p.Command...), env, temp, nil
}

// contained is an error when a directory that comes in part from the session, or lies
// in one of it, is elsewhere once its links are followed.
func contained(p *plan.Part) error {
	for _, dir := range append(append([]string{p.Dir}, p.Allowed...), p.Read...) {
		for root, ok := p.Roots[dir]; ok; root, ok = p.Roots[dir] {
			in, err := filepath.Rel(resolved(root), resolved(dir))
			if err != nil || !filepath.IsLocal(in) {
				return fmt.Errorf("its directory %s leads out of %s by a link", dir, root)
			}
			dir = root
		}
	}
	return nil
}

// confinement says how the files of local servers are limited.
func (h *Hub) confinement() string {
	if h.Confine == nil {
		return "not limited on this system: the server only gets its directories"
	}
	return "limited to its directories by Landlock"
}

// programFolders are where the program of a server lies, which it must read: the
// folder of the command, and of files and packages among its arguments.
func programFolders(p plan.Part) (dirs []string) {
	path, err := exec.LookPath(p.Command[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		path = p.Command[0]
	}
	for _, at := range []string{path, resolved(path)} {
		dir := filepath.Dir(at)
		if filepath.Base(dir) == "bin" { // what belongs to it lies beside: lib, share
			dir = filepath.Dir(dir)
		}
		dirs = append(dirs, dir)
	}
	for _, word := range p.Command[1:] {
		info, err := os.Stat(word)
		if err != nil || info.IsDir() || !filepath.IsAbs(word) {
			continue // a folder is what the server works on
		}
		dirs = append(dirs, filepath.Dir(word))
		if before, _, ok := strings.Cut(resolved(word), "/node_modules/"); ok {
			dirs = append(dirs, before+"/node_modules")
		}
	}
	return slices.DeleteFunc(dirs, func(d string) bool { return d == "/" || d == "." || d == "" })
}
