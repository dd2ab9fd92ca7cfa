package record

import (
	"fmt"
	"regexp"

	"midwire/session/record/redact"
)

// Secrets are the user's masking options.
type Secrets struct {
	Keep   bool     // write credentials down as they are
	Keys   []string // also mask the values of JSON members of these names
	Paths  []string // also mask the values at these dotted paths
	Values []string // also mask what matches these regular expressions
}

// Options turns them into options of a Writer. The error names the expression
// that cannot be understood.
func (s *Secrets) Options() (Options, error) {
	opt := Options{Redact: redact.Options{Keep: s.Keep, Keys: s.Keys, Paths: s.Paths}}
	for _, v := range s.Values {
		re, err := regexp.Compile(v)
		if err != nil {
			return opt, fmt.Errorf("--redact-value %q: %w", v, err)
		}
		opt.Redact.Values = append(opt.Redact.Values, re)
	}
	return opt, nil
}
