package cli

import (
	"slices"
	"testing"

	"midwire/intercept/clients"
)

// TestOpenedHosts: of the servers of a run those are decrypted that are no
// model's, or that --host names.
func TestOpenedHosts(t *testing.T) {
	plan := func() *clients.Run {
		return &clients.Run{Servers: []clients.RunServer{
			{Name: "stdio", Transport: "stdio"},
			{Name: "web", URL: "https://mcp.example.com:8443"},
			{Name: "again", URL: "https://mcp.example.com:8443"},
			{Name: "model", URL: "https://api.openai.com"},
			{Name: "local", URL: "http://127.0.0.1:3000"},
			{Name: "wrapped", URL: "http://127.0.0.1:7300", InFile: true},
		}}
	}
	for _, tt := range []struct {
		f    forwarding
		want []string
		left int
	}{
		{forwarding{}, []string{"https://mcp.example.com:8443", "http://127.0.0.1:3000"}, 1},
		{
			forwarding{hosts: []string{"api.openai.com"}},
			[]string{"api.openai.com", "https://mcp.example.com:8443", "http://127.0.0.1:3000"},
			0,
		},
		{forwarding{onlyNamed: true}, nil, 4},
		{forwarding{onlyNamed: true, hosts: []string{"https://mcp.example.com:8443/mcp"}}, []string{"https://mcp.example.com:8443/mcp"}, 2},
	} {
		run := plan()
		tt.f.open(run)
		left := 0
		for _, s := range run.Servers {
			if s.Why != nil {
				left++
			}
		}
		if !slices.Equal(tt.f.hosts, tt.want) || left != tt.left {
			t.Errorf("opened %q, %d left", tt.f.hosts, left)
		}
	}
}
