// Package agent is midwire for coding agents: an MCP server over the recordings,
// live and past. Its tools are the questions of package ask, so that what a tool
// says is what its twin on the command line prints.
//
// It reads. Nothing is sent or started unless Options.AllowReplay is set.
package agent
