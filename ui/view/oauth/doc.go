// Package oauth shows the authorization in a recording: each flow as steps between
// client, MCP server, authorization server and browser, and the first check that
// fails with both of its values.
package oauth
