// Package contrast compares a session that failed with sessions that worked: what it
// has that none of them has, what they have that it lacks, and since when.
//
// Begin with Run. It finds the sessions to compare with by itself, in the folder of
// recordings (choose.go), reads the facts of each up to the call that failed
// (facts.go, numbers.go), and ranks what differs by how many of the good sessions
// differ in it (contrast.go). It sends nothing and changes no recording.
package contrast
