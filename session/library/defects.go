package library

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"midwire/session/defect"
	"midwire/session/safefile"
)

// Defects keeps defects of midwire itself in a file of a folder, each place of the
// program once. Any goroutine may use it.
type Defects struct {
	Folder  func() (string, error) // midwire's own
	Version string

	mu sync.Mutex // one at a time writes
}

// maxDefects is how long the file may become, in bytes.
const maxDefects = 1 << 20

// Keep adds a defect to the file. Its error says why it could not.
func (k *Defects) Keep(d *defect.Defect) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	dir, err := k.Folder()
	if err != nil {
		return fmt.Errorf("defects: %w", err)
	}
	file := filepath.Join(dir, defect.File)
	was, err := safefile.ReadOwn(file, maxDefects)
	if err == nil && (bytes.Contains(was, []byte("defect "+d.Key()+",")) || len(was) > maxDefects/2) {
		return nil
	}
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("defects: %w", err)
	}
	if err := safefile.OwnFolder(dir); err != nil { // a shared one could have the file go elsewhere
		return fmt.Errorf("defects: %w", err)
	}
	f, err := safefile.Create(file, os.O_APPEND)
	if err != nil {
		return fmt.Errorf("defects: %w", err)
	}
	_, err = f.WriteString(d.Page(k.Version, time.Now().UTC().Format(time.RFC3339)))
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
