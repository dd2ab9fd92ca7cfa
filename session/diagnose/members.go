package diagnose

import "midwire/session/wire"

// members are those of an object that many rules look into: it is taken apart
// once for all of them.
type members struct {
	read   bool
	whole  bool // nothing was left out
	n      int
	keys   [maxMembers][]byte
	values [maxMembers][]byte
}

const maxMembers = 24

// get returns a member of the object, nil when there is none. Of duplicates it
// takes the first, like wire.Get.
func (m *members) get(object []byte, path []string) []byte {
	if len(path) == 0 {
		return object
	}
	if !m.read {
		m.fill(object)
	}
	for i := range m.n {
		if string(m.keys[i]) == path[0] {
			return wire.Get(m.values[i], path[1:]...)
		}
	}
	if m.whole {
		return nil
	}
	return wire.Get(object, path...)
}

func (m *members) fill(object []byte) {
	m.read, m.whole, m.n = true, true, 0
	wire.Each(object, func(key, value []byte) bool {
		if m.n == maxMembers {
			m.whole = false
			return false
		}
		m.keys[m.n], m.values[m.n] = key, value
		m.n++
		return true
	})
}
