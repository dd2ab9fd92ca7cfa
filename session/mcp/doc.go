// Package mcp is the vocabulary of the Model Context Protocol: the names of
// its methods, versions, headers, keys of _meta and error codes, and the few
// facts about them that more than one package needs. It reads no messages.
//
// Sections are those of the specification at modelcontextprotocol.io, cited as
// "2025-11-25 basic/transports". It is pure, a leaf, and has no variables.
package mcp
