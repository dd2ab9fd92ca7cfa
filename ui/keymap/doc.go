// Package keymap is what can be done on the screen: commands with their keys,
// the areas where they hold, and how a configuration gives them other keys.
package keymap
