// Package palette has what lists commands: the palette, and the help, which is
// searched and carries out what it lists.
package palette
