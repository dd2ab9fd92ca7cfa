package hubs

import (
	"fmt"
	"strings"

	"midwire/intercept/hub/registry"
)

// openStore opens the store that a user names: the file of a journal.
func openStore(name, usual string) (registry.Store, error) {
	if name == "" {
		name = usual
	}
	if scheme, _, ok := strings.Cut(name, "://"); ok {
		return nil, fmt.Errorf("--store: %s is no kind of store that midwire knows", scheme)
	}
	j, err := registry.OpenJournal(name)
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	return j, nil
}
