// Package view holds what full screens have in common: titles, pages, lists
// that scroll, and tables whose columns drop by width.
package view
