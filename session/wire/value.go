package wire

import (
	"bytes"
	"encoding/json"
)

// Value reads JSON into the values of encoding/json, with numbers as they are written.
func Value(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
