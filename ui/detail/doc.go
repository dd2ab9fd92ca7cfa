// Package detail is what the screen says of one message, or session: the tabs and
// the frames they need, the summary, the timing, the findings explained, and the
// life cycle on a line. All of it is pure: it makes documents and lines of what it
// is given.
package detail
