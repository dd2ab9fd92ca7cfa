package hub

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// errTooLong: a server says more at once than is taken in.
var errTooLong = fmt.Errorf("a message of it is longer than %d MiB", maxBody>>20)

// readAll is io.ReadAll up to a bound.
func readAll(from io.Reader, most int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, int64(most)+1))
	if err == nil && len(body) > most {
		err = errTooLong
	}
	return body, err
}

// readLines gives each line to take, which may use it until it returns. It ends with
// the reader, with nil, and with errTooLong at a line that has no end.
func readLines(from io.Reader, most int, take func([]byte)) error {
	r := bufio.NewReaderSize(from, 64<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
			return errTooLong
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > 0 {
			take(line)
		}
		if err != nil {
			return nil
		}
		if line = line[:0]; cap(line) > 1<<20 { // such a line may be the only one
			line = nil
		}
	}
}
