package library

import "os"

// Seen is told how far a long reading has come: how many bytes of all are read, and of
// which file the latest are. It is called by one goroutine after the other. Nil for nobody.
type Seen func(read, all int64, file string)

// progress is how far the reading of several files has come.
type progress struct {
	seen      Seen
	read, all int64 // of the files before, and of all
}

func progressOf(seen Seen, files []string) *progress {
	p := &progress{seen: seen}
	if seen == nil {
		return p
	}
	for _, file := range files {
		p.all += sizeOf(file)
	}
	return p
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0 // whoever opens it says why
	}
	return info.Size()
}

// report says how far the reading of one more file has come, now and then.
func (p *progress) report(file string, frame uint64, offset int64) {
	if p.seen != nil && frame%4096 == 0 {
		p.seen(p.read+offset, p.all, file)
	}
}

// endFile ends a file.
func (p *progress) endFile(file string) {
	if p.seen != nil {
		p.read += sizeOf(file)
		p.seen(p.read, p.all, file)
	}
}
