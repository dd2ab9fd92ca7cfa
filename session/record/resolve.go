package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"midwire/session/words"
)

// Resolve finds the recording that ref stands for: the word "last" for the latest of a user's
// own client, or else of midwire, and never a copy of another host's; a file, an id, the
// beginning of one, or the beginning of its last part, as long as only one recording matches,
// or one beside copies. Anything else is an error that says what to do.
func Resolve(dir, ref string) (path string, err error) {
	if ref == "last" {
		return last(dir)
	}
	if info, err := os.Stat(ref); err == nil && !info.IsDir() {
		return ref, nil
	}
	ids, err := Names(dir)
	if err != nil {
		return "", err
	}
	var found []string
	for _, id := range ids {
		if id == ref {
			found = []string{id}
			break
		}
		if ref != "" && (strings.HasPrefix(id, ref) || strings.HasPrefix(id[strings.LastIndexByte(id, '-')+1:], ref)) {
			found = append(found, id)
		}
	}
	isCopy := func(id string) bool { return HostOf(id) != "" }
	if here := slices.DeleteFunc(slices.Clone(found), isCopy); len(here) > 0 {
		found = here
	}
	switch {
	case len(found) == 1:
		return filepath.Join(dir, found[0]+extension), nil
	case len(found) > 1:
		return "", fmt.Errorf("recording %q is ambiguous: %s; type more of it", ref, words.List(found, 5))
	case strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, extension):
		return "", fmt.Errorf("recording %q: no such file; midwire ls lists recordings", ref)
	}
	return "", fmt.Errorf("recording %q: no such file or recording; midwire ls lists recordings", ref)
}

func last(dir string) (string, error) {
	all, err := List(dir)
	if err != nil {
		return "", err
	}
	asks := ""
	for _, e := range all {
		switch {
		case e.Err != nil, HostOf(e.ID) != "":
		case !e.Header.Asks:
			return e.Path, nil
		case asks == "":
			asks = e.Path
		}
	}
	if asks != "" {
		return asks, nil
	}
	return "", fmt.Errorf("no recordings in %s yet; run midwire demo, or midwire -- COMMAND to make your own", dir)
}
