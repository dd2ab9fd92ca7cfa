package library

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"midwire/session/safefile"
)

const (
	filtersName = "filters.json"
	maxUsed     = 100 // filters that are kept
	maxFilters  = 16 << 20
)

// Filters is the file that keeps the filters used last from one run of the screen to
// the next, beside the recordings. Nothing depends on it: what cannot be read counts as
// nothing.
type Filters struct {
	path string
}

type filtersFile struct {
	Used []string `json:"used"`
}

// FiltersIn returns the file in a folder; neither has to exist.
func FiltersIn(dir string) *Filters { return &Filters{filepath.Join(dir, filtersName)} }

// Load returns the filters used last, the latest at the end.
func (f *Filters) Load() ([]string, error) {
	var in filtersFile
	data, err := safefile.ReadOwn(f.path, maxFilters)
	if err != nil || json.Unmarshal(data, &in) != nil {
		return nil, nil
	}
	return in.Used, nil
}

// Use puts a filter at the end of those used.
func (f *Filters) Use(filter string) error {
	used, _ := f.Load()
	used = append(slices.DeleteFunc(used, func(s string) bool { return s == filter }), filter)
	data, err := json.MarshalIndent(filtersFile{used[max(0, len(used)-maxUsed):]}, "", "  ")
	if err != nil {
		return err
	}
	if err := safefile.OwnFolder(filepath.Dir(f.path)); err != nil && !errors.Is(err, safefile.ErrShared) {
		return err // what others put into a shared one is not read
	}
	return safefile.Replace(f.path, func(w io.Writer) error { _, err := w.Write(append(data, '\n')); return err })
}
