//go:build !unix

package safefile

import "os"

const noWait = 0

// IsOurs reports whether a file belongs to the user whom this process acts for.
// Here the folder's own permissions decide who can put one there.
func IsOurs(os.FileInfo) bool { return true }

func sameOwner(_, _ os.FileInfo) bool { return true }

// Shared says who else may put files into a folder; here that is not known.
func Shared(string) string { return "" }

func isReadable(os.FileInfo) bool { return false }
