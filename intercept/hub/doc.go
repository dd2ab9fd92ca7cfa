// Package hub puts several MCP servers behind one address, session by session:
// each session has its own instances. Taps stand on both sides of it, so all
// that it does to messages can be seen in recordings of one flow:
//
//	client ── tap ── switchboard ─┬─ /NAME/…  ── tap ── URL         bytes, unread
//	                              ├─ /NAME/mcp ─┐
//	                              └─ /mcp ──────┴ session ─┬─ tap ── process
//	                                                       └─ tap ── URL
//
// A session routes messages of JSON-RPC. Params, results and errors pass as the
// bytes that they are. What it changes is a closed list: the names of tools and
// prompts, the ids of requests that servers make, and the results that come of
// several servers: of the handshake, of lists, and of discovery.
//
// These are the goroutines: those of the HTTP server and of the taps; for each
// process one that runs its tap and one for each of its outputs; for each remote
// server one for the stream without a request, and one for each event stream that
// still runs when its request has its response; one that ends stale sessions, and
// one that watches the store. Run waits for all of them.
package hub
