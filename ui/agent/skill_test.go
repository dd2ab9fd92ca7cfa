package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSkill: it is short, says when to use it, and is not written over what
// somebody changed.
func TestSkill(t *testing.T) {
	if n := strings.Count(Skill, "\n"); n >= 100 {
		t.Errorf("%d lines", n)
	}
	head := regexp.MustCompile(`(?s)\A---\nname: midwire\ndescription: ([^\n]+)\n.*?\n---\n`).FindStringSubmatch(Skill)
	if head == nil || len(head[1]) > 1024 || !strings.Contains(head[1], "Use when") {
		t.Errorf("its head: %q", head)
	}
	dir := t.TempDir()
	for range 2 {
		path, err := InstallSkill(dir)
		if text, _ := os.ReadFile(path); err != nil || string(text) != Skill {
			t.Errorf("%s: %v", path, err)
		}
	}
	path := filepath.Join(dir, "midwire", "SKILL.md")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := InstallSkill(dir); err == nil {
		t.Error("somebody's file was replaced")
	}
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "localhost:1": true, ":1": false, "0.0.0.0:1": false,
		"192.168.1.2:1": false, "example.com:1": false, "127.0.0.1": false,
	} {
		if Loopback(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}
