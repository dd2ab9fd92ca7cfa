package wire

import "encoding/binary"

// HashSeed starts a hash that HashOn continues.
const HashSeed = 14695981039346656037

const hashPrime = 1099511628211

// Hash is like FNV-1a of 64 bits, eight bytes at a time: the same in every run, as
// determinism wants.
func Hash(b []byte) uint64 { return HashOn(HashSeed, b) }

// HashOn continues a hash. Where a text is cut into parts matters.
func HashOn(h uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * hashPrime
		h ^= h >> 32 // a multiplication moves bits up only
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}
