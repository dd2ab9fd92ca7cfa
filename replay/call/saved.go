package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"midwire/replay/peer"
	"midwire/session/record/redact"
	"midwire/session/words"
)

// Saved is a call in a file. It holds no credentials: a value may be ${NAME}, which is read
// from the environment when the call is made, and fields of HTTP are not kept.
type Saved struct {
	URL       string                     `json:"url,omitempty"`
	Command   []string                   `json:"command,omitempty"`
	Dir       string                     `json:"dir,omitempty"`
	Tool      string                     `json:"tool"`
	Arguments map[string]json.RawMessage `json:"arguments"`
}

// MostSaved is how long a file of a call may be.
const MostSaved = 1 << 20

// ReadSaved reads what Write wrote, or what a person did.
func ReadSaved(text []byte) (*Saved, error) {
	s := &Saved{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("it is no saved call: %w", err)
	}
	if s.Tool == "" || (s.URL == "") == (len(s.Command) == 0) {
		return nil, errors.New("a saved call has tool, and either url or command")
	}
	return s, nil
}

// variable is a reference to the environment.
var variable = words.Pattern(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Write is the text of the file. It is refused when it would hold a credential.
func (s *Saved) Write() ([]byte, error) {
	const how = "%s holds a credential, which no file should: give it as '${NAME}', which is read from the environment"
	masker := redact.NewMasker(redact.Options{})
	if !slices.Equal(redact.Args(s.Command), s.Command) || masker.Text(s.URL) != s.URL {
		return nil, errors.New("the command or the URL holds a credential, which no file should: let the server read it from its environment, or use --header")
	}
	for name, value := range s.Arguments {
		bare := variable().ReplaceAll(value, nil)
		one, _ := json.Marshal(map[string]json.RawMessage{name: bare}) // valid, as both were
		if masker.Text(string(one)) != string(one) {
			return nil, fmt.Errorf(how, name)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return b.Bytes(), err
}

// Fill puts the environment in the place of references. It returns the names of the
// variables, and their values, which are not to be recorded.
func Fill(
	arguments map[string]json.RawMessage, getenv func(string) string,
) (names []string, secrets peer.Secrets, err error) {
	for key, raw := range arguments {
		filled := variable().ReplaceAllFunc(raw, func(ref []byte) []byte {
			name := string(ref[2 : len(ref)-1])
			value := getenv(name)
			if value == "" && err == nil {
				err = fmt.Errorf("the argument %s needs the variable %s, which is not set", key, name)
			}
			if names = append(names, name); len(value) >= 6 {
				secrets = append(secrets, value)
			}
			quoted, _ := json.Marshal(value) // a string
			return quoted[1 : len(quoted)-1]
		})
		arguments[key] = filled
	}
	return names, secrets, err
}
