// Package replaying is replay on the screen: what replays, the views of a
// comparison and of the difference between two responses.
package replaying
