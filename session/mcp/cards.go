package mcp

import "strings"

// cardPaths are where servers have their card or a catalog of cards, besides
// URL/server-card, the one place that SEP-2127 reserves. The earlier drafts and
// registries had the others.
var cardPaths = map[string]string{
	"/.well-known/mcp/server-card.json":  cardWord,
	"/.well-known/mcp/server-card":       cardWord,
	"/.well-known/mcp-server-card.json":  cardWord,
	"/.well-known/mcp-server-card":       cardWord,
	"/.well-known/mcp.json":              cardWord,
	"/mcp.json":                          cardWord,
	"/mcp-server-card":                   cardWord,
	"/.well-known/mcp/catalog.json":      catalogWord,
	"/.well-known/ai-catalog.json":       catalogWord,
	"/.well-known/mcp-webhook-jwks.json": "keys of webhooks",

	"/.well-known/mcp-webhook-receiver.json": "receivers of webhooks",
}

const cardWord, catalogWord = "server card", "catalog of server cards"

// Discovery says what a client that asks for a path looks for before it connects, in a
// few words: "server card"; "" for nothing of that kind.
func Discovery(path string) string {
	if word := cardPaths[path]; word != "" {
		return word
	}
	if strings.HasSuffix(path, "/server-card") || strings.HasSuffix(path, "/server-card.json") {
		return cardWord
	}
	return ""
}
