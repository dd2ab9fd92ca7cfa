package record

import (
	"sort"
	"sync"
)

const chunkSize = 8 << 10 // offsets in a chunk

// index knows where in the file each frame is, in eight bytes a frame. The
// goroutine that reads adds to it, any other may ask.
type index struct {
	mu     sync.RWMutex // guards everything below
	chunks [][]int64
	count  int
	last   uint64
	runs   []run
}

// run is a stretch of frames numbered without holes; a recording that nothing
// damaged or shortened is a single one.
type run struct {
	n  uint64 // of its first frame
	at int    // position of that in the chunks
}

// add notes the offset of frame n, unless n is not greater than the last.
func (x *index) add(n uint64, offset int64) (last uint64, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n <= x.last {
		return x.last, false
	}
	if n != x.last+1 || x.count == 0 {
		x.runs = append(x.runs, run{n, x.count})
	}
	if x.count%chunkSize == 0 {
		// The first one grows: most recordings are short.
		x.chunks = append(x.chunks, make([]int64, 0, min(x.count, chunkSize)))
	}
	chunk := &x.chunks[len(x.chunks)-1]
	*chunk = append(*chunk, offset)
	x.count++
	x.last = n
	return n, true
}

// find returns the offset of frame n.
func (x *index) find(n uint64) (offset int64, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	i := sort.Search(len(x.runs), func(i int) bool { return x.runs[i].n > n }) - 1
	if i < 0 {
		return 0, false
	}
	end := x.count
	if i+1 < len(x.runs) {
		end = x.runs[i+1].at
	}
	if n-x.runs[i].n >= uint64(end-x.runs[i].at) {
		return 0, false
	}
	at := x.runs[i].at + int(n-x.runs[i].n)
	return x.chunks[at/chunkSize][at%chunkSize], true
}

func (x *index) size() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.count
}
