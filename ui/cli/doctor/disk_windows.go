package doctor

import "golang.org/x/sys/windows"

// room is how much the user can still write on the disk of a folder, in bytes.
func room(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return int64(free), err
}
