// Package replaying is replay on the screen: the dialog before it, the replay
// under way, and the views of a comparison and of the difference between two
// responses. A Replayer does the work.
package replaying
