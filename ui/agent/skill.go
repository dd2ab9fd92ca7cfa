package agent

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"midwire/session/safefile"
)

// Skill is the Agent Skill: how an agent with a shell uses midwire.
//
//go:embed skill/SKILL.md
var Skill string

// InstallSkill writes the skill into a folder of skills, as midwire/SKILL.md, and
// returns its path. A file of other content there is left alone.
func InstallSkill(dir string) (string, error) {
	path := filepath.Join(dir, "midwire", "SKILL.md")
	there, err := safefile.Read(path, 1<<20)
	switch {
	case err == nil && string(there) == Skill:
		return path, nil
	case err == nil:
		return "", fmt.Errorf("%s is there already, with other content: remove it first", path)
	case !errors.Is(err, os.ErrNotExist):
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // a project's, for all who work in it
		return "", err
	}
	f, err := safefile.Create(path, 0)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(Skill)
	return path, errors.Join(err, f.Chmod(0o644), f.Close())
}
