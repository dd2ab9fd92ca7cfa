// Package sequence is the view of who said what when: arrows between a client
// and a server.
package sequence
