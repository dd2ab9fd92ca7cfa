package launch

import (
	"os"
	"path/filepath"
)

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
