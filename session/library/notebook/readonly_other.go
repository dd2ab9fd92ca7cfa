//go:build !unix

package notebook

func isReadOnly(error) bool { return false }
