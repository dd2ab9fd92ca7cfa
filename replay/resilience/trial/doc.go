// Package trial plays faults against a real client, a fresh run for each, and has
// package resilience judge the outcome.
//
// Begin with Play in play.go. run.go is one run: a proxy with the fault armed in
// front of the server, the client's command, and the recordings of both. HTTP
// servers have the proxy in this process; a stdio server is started by the
// client, which gets midwire's command in place of the server's.
//
// Its goroutines end with the run they belong to: the proxy, and what takes the
// faults away from servers that are started again. Jobs runs are in progress at a time.
package trial
