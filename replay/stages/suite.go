package stages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"midwire/intercept"
	"midwire/replay/checks"
	"midwire/session/safefile"
	"midwire/session/words"
)

// SuiteCommand is how the conformance suite is run where nothing else is given: as it is
// installed. npx downloads nothing with --no.
var SuiteCommand = []string{"npx", "--no", "--", "@modelcontextprotocol/conformance"}

const suiteTime = 5 * time.Minute

// suite runs the official conformance suite against the server, through the proxy. Its
// checks become those of the report.
func (t *tester) suite() error {
	if t.opt.URL == nil {
		return errors.New("the conformance suite speaks HTTP alone: give the URL of the server")
	}
	program, err := exec.LookPath(t.opt.Suite[0])
	if err != nil {
		return fmt.Errorf("the conformance suite needs Node, and %w; --suite-command names another way to run it", err)
	}
	dir, err := safefile.Temp("", "midwire-suite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := append(t.opt.Suite[1:len(t.opt.Suite):len(t.opt.Suite)], "server", "--url", t.proxy[proper], "-o", dir)
	t.opt.Say("Runs " + strings.Join(t.opt.Suite, " ") + " server --url " + t.proxy[proper])
	c := exec.CommandContext(t.ctx, program, args...)
	c.WaitDelay = 2 * time.Second
	c.Cancel = func() error { intercept.KillTree(c.Process); return nil }
	end := time.AfterFunc(suiteTime, func() { intercept.KillTree(c.Process) })
	defer end.Stop()
	said, err := c.CombinedOutput()
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	n, reading := t.results(dir)
	if n > 0 || reading != nil {
		return reading // it exits with an error when a check failed
	}
	last := words.Line(string(bytes.TrimSpace(said[max(len(said)-400, 0):])), 400)
	return fmt.Errorf("the conformance suite did not run (%v): %s", err, last)
}

// suiteCheck is one of the suite's, as checks.json has it.
type suiteCheck struct {
	ID, Name, Description, Status, ErrorMessage string
	SpecReferences                              []struct{ ID, URL string }
}

// stamp is what the suite adds to the name of a scenario's folder.
var stamp = words.Pattern(`^server-|-\d{4}-\d\d-\d\dT.*$`)

// results reads what the suite wrote, and returns how many checks there are.
func (t *tester) results(dir string) (n int, err error) {
	return n, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		raw, err := safefile.ReadGiven(path, 16<<20)
		if err != nil {
			return err
		}
		var all []suiteCheck
		if err := json.Unmarshal(raw, &all); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(filepath.Dir(path)), err)
		}
		scenario := stamp().ReplaceAllString(filepath.Base(filepath.Dir(path)), "")
		for _, one := range all {
			n++
			verdict, known := map[string]checks.Verdict{
				"SUCCESS": checks.Passed, "FAILURE": checks.Failed, "WARNING": checks.Noted, "SKIPPED": checks.Skipped,
			}[one.Status]
			if !known { // INFO is a message of a log
				continue
			}
			spec := ""
			if len(one.SpecReferences) > 0 {
				spec = one.SpecReferences[0].URL
			}
			text := words.Line(one.ErrorMessage, 300)
			if text == "" && verdict != checks.Passed {
				text = words.Line(one.Description, 300)
			}
			name := scenario
			if one.ID != scenario {
				name += ", " + one.ID
			}
			c := t.check(name, verdict, text, spec)
			c.Help = words.Line(one.Description, 300)
		}
		return nil
	})
}
