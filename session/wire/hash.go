package wire

// HashSeed begins a hash that HashOn goes on with.
const HashSeed = 14695981039346656037

// Hash is FNV-1a of 64 bits: the same in every run, as determinism wants.
func Hash(b []byte) uint64 { return HashOn(HashSeed, b) }

// HashOn goes on with a hash.
func HashOn(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
