package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// patience is how long a change waits for those of other midwires.
const patience = 20 * time.Second

// lock keeps other midwires from changing configurations until unlock is
// called. The operating system releases it with the process, however it ends.
// Where the file system knows no locks there is none.
func (j journal) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(string(j)), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(string(j)+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if !isTaken(f) {
			return func() { f.Close() }, nil
		}
		if time.Now().After(end) {
			f.Close()
			return nil, fmt.Errorf("another midwire has been changing configurations for %v (it holds %s.lock)", patience, string(j))
		}
	}
}
