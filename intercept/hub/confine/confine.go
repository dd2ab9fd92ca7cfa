// Package confine runs a program that can reach the files of some directories
// only, and those that programs need to run at all. Processes that it starts are
// limited as it is, and none can lift the limit.
package confine

// Limits are the directories that a program may use, with all below them.
type Limits struct {
	Write []string // read and written
	Read  []string // read, and run
}

// common are directories without which hardly a program runs. What is in them is
// the system's.
var common = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/proc", "/sys/devices/system", "/sys/fs/cgroup",
	"/nix", "/run/systemd/resolve", "/run/current-system", "/snap",
}

// devices may be written to as well.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
