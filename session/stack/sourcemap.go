package stack

import "strings"

// Original is the source, line and column of the last mapping at or before a place, all from 0
// (the source map format, revision 3: lines are parted by “;”, mappings by “,”).
func Original(mappings string, line, col int) (source, toLine, toCol int, found bool) {
	var at [5]int // column, source, line, column, name: each relative to the one before
	for text := range strings.SplitSeq(mappings, ";") {
		at[0] = 0
		for one := range strings.SplitSeq(text, ",") {
			fields := 0
			for ; one != "" && fields < len(at); fields++ {
				v, rest, ok := vlq(one)
				if !ok {
					return 0, 0, 0, false
				}
				at[fields] += v
				one = rest
			}
			if line == 0 && fields >= 4 && (at[0] <= col || !found) {
				source, toLine, toCol, found = at[1], at[2], at[3], true
			}
		}
		if line--; line < 0 {
			break
		}
	}
	return source, toLine, toCol, found
}

// vlq reads a number of variable length, in base 64, and returns the rest.
func vlq(text string) (v int, rest string, ok bool) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for shift := 0; shift < 35 && text != ""; shift += 5 {
		d := strings.IndexByte(digits, text[0])
		if d < 0 {
			return 0, "", false
		}
		text = text[1:]
		v |= (d & 31) << shift
		if d&32 == 0 {
			if v&1 != 0 {
				return -(v >> 1), text, true
			}
			return v >> 1, text, true
		}
	}
	return 0, "", false
}
