package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"midwire/session/wire"
)

// What a jq program may take. One step of a program can make a text or a list of gigabytes, and
// no step can be interrupted: so it runs in a process of its own, which ends itself.
const (
	jqTime   = 2 * time.Second
	jqMemory = 256 << 20 // bytes of objects
	jqOutput = 16 << 20  // bytes of results
)

// jqChild, in the environment of midwire, makes it such a process.
const jqChild = "MIDWIRE_RUNS_JQ"

const tooLong = "it takes too long"

// jqTook is how the process ends that took too much memory.
const jqTook = 9

// jqTask is what the process gets, and jqDone what it returns.
type (
	jqTask struct {
		Program string
		Message json.RawMessage
	}
	jqDone struct{ Text, Mistake string }
)

// errNoJSON says that there is nothing for a program to look at.
var errNoJSON = mistakef("this frame is no JSON: leave path out")

// RunsJQ is such a process, where this is one; main calls it first. It is false where not.
func RunsJQ(getenv func(string) string, in io.Reader, out io.Writer) bool {
	if getenv(jqChild) == "" {
		return false
	}
	debug.SetMemoryLimit(jqMemory / 2) // garbage is collected before it counts
	go jqWatch()
	var task jqTask
	if json.NewDecoder(in).Decode(&task) == nil {
		_ = json.NewEncoder(out).Encode(runJQ(task))
	}
	return true
}

// jqWatch ends the process when it has too much. What was only reserved counts as well, so
// that a long list need not be filled first.
func jqWatch() {
	has := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for ; ; time.Sleep(time.Millisecond) {
		if metrics.Read(has); has[0].Value.Uint64() > jqMemory {
			os.Exit(jqTook)
		}
	}
}

func runJQ(task jqTask) (done jqDone) {
	q, err := gojq.Parse(task.Program)
	if err != nil {
		done.Mistake = err.Error() + ". Write jq, as .params.arguments or .result.tools[].name"
		return done
	}
	code, err := gojq.Compile(q)
	if err != nil {
		done.Mistake = err.Error()
		return done
	}
	v, _ := wire.Value(task.Message)
	ctx, cancel := context.WithTimeout(context.Background(), jqTime)
	defer cancel()
	var b strings.Builder
	for results := code.RunWithContext(ctx, v); b.Len() < jqOutput; {
		v, ok := results.Next()
		if !ok {
			break
		}
		if ctx.Err() != nil {
			done.Mistake = tooLong
			return done
		}
		if err, bad := v.(error); bad {
			what, _, _ := strings.Cut(err.Error(), " (") // then it quotes the message
			if errors.As(err, new(gojq.ValueError)) {
				what = "it ended with an error of its own"
			}
			done.Mistake = what + ". It begins at the message: .method, .params, .result, .error"
			return done
		}
		if s, ok := v.(string); ok {
			b.WriteString(s + "\n")
			continue
		}
		out, err := gojq.Marshal(v)
		if err != nil {
			done.Mistake = err.Error()
			return done
		}
		if pretty, ok := wire.Indent(out, ""); ok {
			out = pretty
		}
		b.WriteString(string(out) + "\n")
	}
	done.Text = b.String()
	return done
}

// jq runs a program over a message and returns its results, one after the other.
func jq(ctx context.Context, program string, raw []byte) (string, error) {
	if !wire.Valid(raw) {
		return "", errNoJSON
	}
	self, err := os.Executable()
	if os.Getenv(jqChild) != "" {
		err = errors.New("it is one, and its main does not call RunsJQ")
	}
	if err != nil {
		return "", fmt.Errorf("jq needs a process of its own: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, 3*jqTime)
	defer cancel()
	task, _ := json.Marshal(jqTask{program, raw}) // of texts
	c := exec.CommandContext(limited, self)
	c.Env, c.Stdin = append(os.Environ(), jqChild+"=1"), bytes.NewReader(task)
	c.WaitDelay = time.Second
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return "", fmt.Errorf("jq needs a process of its own: %w", err)
	}
	var done jqDone
	reading := json.NewDecoder(io.LimitReader(out, 8*jqOutput)).Decode(&done)
	err = c.Wait()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case c.ProcessState.ExitCode() == jqTook:
		return "", mistakef("path %q: it takes more than %d MiB of memory", program, jqMemory>>20)
	case limited.Err() != nil:
		return "", mistakef("path %q: "+tooLong, program)
	case errors.Join(reading, err) != nil:
		return "", fmt.Errorf("path %q: %w", program, errors.Join(reading, err))
	case done.Mistake != "":
		return "", mistakef("path %q: %s", program, done.Mistake)
	}
	return done.Text, nil
}
