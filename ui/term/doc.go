// Package term is how the screen writes cells: a Line of fixed width over text
// that is safe, the theme (colours by role), the glyphs, and numbers in few cells.
// It knows nothing of MCP. Nothing but safe.Text can be put on a Line.
package term
