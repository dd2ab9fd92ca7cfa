package summary

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"midwire/session/safefile"
)

const (
	outcomeSuffix  = ".replay.json"
	outcomeOpening = `{"midwire_replay":`
	maxOutcome     = 4 << 10
)

// Outcome counts the calls of a replay by how they compare with the recording. It
// is kept in a file beside the recording of the replay: nothing else knows it
// once the other recording is gone.
type Outcome struct {
	Format  int `json:"midwire_replay"` // 1
	Broken  int `json:"broken,omitzero"`
	Fixed   int `json:"fixed,omitzero"`
	Changed int `json:"changed,omitzero"` // in any other way: also slower, missing, extra
	Same    int `json:"same,omitzero"`
}

// OutcomeFile returns the path of a replay's outcome.
func OutcomeFile(recording string) string {
	return strings.TrimSuffix(recording, ".jsonl") + outcomeSuffix
}

// KeepOutcome writes the outcome beside the recording of the replay.
func KeepOutcome(recording string, o Outcome) error {
	o.Format = 1
	raw, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("outcome of the replay: %w", err)
	}
	return safefile.Replace(OutcomeFile(recording), func(w io.Writer) error {
		_, err := w.Write(append(raw, '\n'))
		return err
	})
}

// ReadOutcome is the kept outcome, nil where there is none.
func ReadOutcome(recording string) *Outcome {
	raw, err := safefile.ReadOwn(OutcomeFile(recording), maxOutcome)
	o := &Outcome{}
	if err != nil || json.Unmarshal(raw, o) != nil || o.Format != 1 || !natural(o.Broken, o.Fixed, o.Changed, o.Same) {
		return nil
	}
	return o
}

// withOutcome adds what is kept of a replay.
func (s *Recording) withOutcome(recording string) *Recording {
	if s != nil && s.Replays != "" {
		s.Outcome = ReadOutcome(recording)
	}
	return s
}

func removed(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
