package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"midwire/session/safefile"
)

const (
	filtersName    = "filters.json"
	filtersVersion = 1
	maxUsed        = 100 // filters that are kept without a name
	maxFilters     = 16 << 20
)

// Filters is the file that keeps the filters of the screen from one run to the
// next, beside the recordings. One goroutine at a time may use it.
//
// Several viewers may run at once. Each change reads the file, changes it and
// replaces it in one step, so that no viewer removes what another one wrote
// before. Members that this version does not know stay in the file; a file that
// cannot be read is left alone.
type Filters struct{ path string }

// FiltersIn returns the file in a folder; neither has to exist.
func FiltersIn(dir string) *Filters { return &Filters{filepath.Join(dir, filtersName)} }

type savedFilters struct {
	used  []string
	saved map[string]string
	rest  map[string]json.RawMessage // what another version wrote
}

// Load returns the filters used last, the latest at the end, and the saved
// ones by name. A file that is not there is empty.
func (f *Filters) Load() (used []string, saved map[string]string, err error) {
	c, err := f.read()
	return c.used, c.saved, err
}

// Use puts a filter at the end of those used.
func (f *Filters) Use(filter string) error {
	return f.change(func(c *savedFilters) {
		c.forget(filter)
		c.used = append(c.used, filter)
		c.used = c.used[max(0, len(c.used)-maxUsed):]
	})
}

// Forget takes a filter out of those used.
func (f *Filters) Forget(filter string) error {
	return f.change(func(c *savedFilters) { c.forget(filter) })
}

func (c *savedFilters) forget(filter string) {
	c.used = slices.DeleteFunc(c.used, func(s string) bool { return s == filter })
}

// Save keeps a filter under a name; an empty one takes the name away.
func (f *Filters) Save(name, filter string) error {
	return f.change(func(c *savedFilters) {
		if delete(c.saved, name); filter != "" {
			c.saved[name] = filter
		}
	})
}

func (f *Filters) read() (savedFilters, error) {
	c := savedFilters{saved: map[string]string{}, rest: map[string]json.RawMessage{}}
	data, err := safefile.Read(f.path, maxFilters)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c.rest); err != nil {
		return c, fmt.Errorf("%s: %w; move it away to start with an empty one", f.path, err)
	}
	for key, to := range map[string]any{"used": &c.used, "saved": &c.saved} {
		if raw, ok := c.rest[key]; ok {
			if err := json.Unmarshal(raw, to); err != nil {
				return c, fmt.Errorf("%s: %s: %w; move it away to start with an empty one", f.path, key, err)
			}
		}
	}
	if c.saved == nil {
		c.saved = map[string]string{}
	}
	return c, nil
}

func (f *Filters) change(how func(*savedFilters)) error {
	c, err := f.read()
	if err != nil {
		return err
	}
	how(&c)
	for key, v := range map[string]any{"used": c.used, "saved": c.saved} {
		if c.rest[key], err = json.Marshal(v); err != nil {
			return err
		}
	}
	if _, ok := c.rest["midwire-filters"]; !ok {
		c.rest["midwire-filters"] = json.RawMessage(fmt.Sprint(filtersVersion))
	}
	data, err := json.MarshalIndent(c.rest, "", "  ")
	if err != nil {
		return err
	}
	return f.replace(append(data, '\n'))
}

// replace puts data in place of the file; readers see the old or the new.
func (f *Filters) replace(data []byte) error {
	if err := safefile.Own(filepath.Dir(f.path)); err != nil && !errors.Is(err, safefile.ErrShared) {
		return err // what others put into a shared one is not read
	}
	return safefile.Replace(f.path, func(w io.Writer) error { _, err := w.Write(data); return err })
}
