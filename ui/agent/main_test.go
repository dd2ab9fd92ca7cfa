package agent

import (
	"os"
	"testing"

	"midwire/ui/agent/ask"
)

func TestMain(m *testing.M) {
	if ask.RunsJQ(os.Getenv, os.Stdin, os.Stdout) {
		return
	}
	os.Exit(m.Run())
}
