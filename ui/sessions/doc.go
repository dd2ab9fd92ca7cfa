// Package sessions is the session tree: live and past recordings, their sessions,
// and the text that is looked for in it. A Tree belongs to the goroutine of the
// tea.Program and is rebuilt when recordings change.
package sessions
