package trial

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"midwire/replay"
)

type place struct {
	url    string
	server []string // command
	env    map[string]string
	config string // file
}

// write writes the file of a client's configuration, as most read it.
func (p *place) write(dir string) error {
	type entry struct {
		Type    string            `json:"type"`
		URL     string            `json:"url,omitempty"`
		Command string            `json:"command,omitempty"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
	}
	e := entry{Type: "http", URL: p.url}
	if p.url == "" {
		e = entry{Type: "stdio", Command: p.server[0], Args: p.server[1:], Env: p.env}
	}
	raw, err := json.MarshalIndent(map[string]map[string]entry{"mcpServers": {"midwire": e}}, "", "  ")
	if err != nil {
		return err
	}
	p.config = filepath.Join(dir, "mcp.json")
	return os.WriteFile(p.config, raw, 0o600)
}

// fill puts the place into the command of a client.
func (p *place) fill(command string) string {
	return strings.NewReplacer(
		"{url}", replay.JoinWords([]string{p.url}), "{server}", replay.JoinWords(p.server), "{config}", replay.JoinWords([]string{p.config}),
	).Replace(command)
}

func (p *place) environ() []string {
	all := []string{"MIDWIRE_URL=" + p.url, "MIDWIRE_SERVER=" + replay.JoinWords(p.server), "MIDWIRE_CONFIG=" + p.config}
	for name, value := range p.env {
		all = append(all, fmt.Sprintf("%s=%s", name, value))
	}
	return all
}
