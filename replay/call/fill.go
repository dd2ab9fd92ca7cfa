package call

import (
	"encoding/json"
	"fmt"

	"midwire/session/words"
)

// variable is a reference to the environment.
var variable = words.Pattern(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Fill puts the environment in the place of references. It returns the names of the
// variables, and their values, which are not to be recorded.
func Fill(
	arguments map[string]json.RawMessage, getenv func(string) string,
) (names []string, secrets []string, err error) {
	for key, raw := range arguments {
		filled := variable().ReplaceAllFunc(raw, func(ref []byte) []byte {
			name := string(ref[2 : len(ref)-1])
			value := getenv(name)
			if value == "" && err == nil {
				err = fmt.Errorf("the argument %s needs the variable %s, which is not set", key, name)
			}
			if names = append(names, name); value != "" {
				secrets = append(secrets, value)
			}
			quoted, _ := json.Marshal(value) // a string
			return quoted[1 : len(quoted)-1]
		})
		arguments[key] = filled
	}
	return names, secrets, err
}
