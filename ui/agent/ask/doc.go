// Package ask is what can be asked about recordings by a program: each question
// is a type with an Ask method, and what comes back is a Result that can be
// printed as Markdown or as JSON. The tools of the MCP server and their twins on
// the command line are both made of it.
//
// What a result quotes comes from peers that may be hostile. In Markdown it
// stands between fences that it cannot break, without control characters.
package ask
