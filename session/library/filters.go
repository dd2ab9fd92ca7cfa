package library

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"midwire/session/safefile"
)

const (
	filtersName    = "filters.json"
	filtersVersion = 1
	maxUsed        = 100 // filters that are kept
	maxFilters     = 16 << 20
)

// Filters is the file that keeps the filters used last from one run of the screen to
// the next, beside the recordings.
//
// Several viewers may run at once. Each change reads the file, changes it and
// replaces it in one step, so that no viewer removes what another one wrote
// before. Members that this version does not know stay in the file; a file that
// cannot be read is left alone.
type Filters struct {
	path string
	mu   sync.Mutex
}

// FiltersIn returns the file in a folder; neither has to exist.
func FiltersIn(dir string) *Filters { return &Filters{path: filepath.Join(dir, filtersName)} }

// Load returns the filters used last, the latest at the end. A file that is not
// there is empty.
func (f *Filters) Load() ([]string, error) {
	used, _, err := f.read()
	return used, err
}

// Use puts a filter at the end of those used.
func (f *Filters) Use(filter string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	used, all, err := f.read()
	if err != nil {
		return err
	}
	used = append(slices.DeleteFunc(used, func(s string) bool { return s == filter }), filter)
	if all["used"], err = json.Marshal(used[max(0, len(used)-maxUsed):]); err != nil {
		return err
	}
	if _, ok := all["midwire-filters"]; !ok {
		all["midwire-filters"] = json.RawMessage(fmt.Sprint(filtersVersion))
	}
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false) // what another version wrote stays as it was
	e.SetIndent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	return f.replace(data.Bytes())
}

// read returns the filters used last, and all members of the file.
func (f *Filters) read() (used []string, all map[string]json.RawMessage, err error) {
	all = map[string]json.RawMessage{}
	data, err := safefile.Read(f.path, maxFilters)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, all, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if raw, ok := all["used"]; err == nil && ok {
		err = json.Unmarshal(raw, &used)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w; move it away to start with an empty list", f.path, err)
	}
	return used, all, nil
}

// replace puts data in place of the file; readers see the old or the new.
func (f *Filters) replace(data []byte) error {
	if err := safefile.Own(filepath.Dir(f.path)); err != nil && !errors.Is(err, safefile.ErrShared) {
		return err // what others put into a shared one is not read
	}
	return safefile.Replace(f.path, func(w io.Writer) error { _, err := w.Write(data); return err })
}
