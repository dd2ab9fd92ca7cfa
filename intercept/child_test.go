//go:build unix

package intercept

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that does not start says what is missing: not itself, when it is there.
func TestWhyNothingStarts(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		content, name, want string
		code                int
	}{
		{"#!/nope/interpreter -x\n", "", `names the interpreter "/nope/interpreter", which is not there`, 127},
		{"#!/bin/sh\r\necho\r\n", "", "line ends of Unix", 127},
		{"", "npx -y server", "it is one word that includes its arguments", 127},
		{"", "./absent", `"./absent" not found`, 127},
		{"", dir, "cannot be run", 126},
	} {
		name := tc.name
		if name == "" {
			name = filepath.Join(dir, "program")
			if err := os.WriteFile(name, []byte(tc.content), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		exit, err := (&Child{Command: []string{name}}).Run()
		if err == nil || exit.Code != tc.code || !strings.Contains(err.Error(), tc.want) || tc.content != "" && strings.Contains(err.Error(), "not found") {
			t.Errorf("%q %s: %d, %v", tc.content, tc.name, exit.Code, err)
		}
	}
}
