package words

// Unmatched says which of two rows of texts only one of them has: what is left beside their
// longest common subsequence. It takes time and room for len(a)*len(b), which the caller
// bounds.
func Unmatched(a, b []string) (onlyA, onlyB []bool) {
	longest := make([][]int, len(a)+1) // of what begins at i and j
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if longest[i][j] = max(longest[i+1][j], longest[i][j+1]); a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	onlyA, onlyB = make([]bool, len(a)), make([]bool, len(b))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			onlyA[i] = true
			i++
		default:
			onlyB[j] = true
			j++
		}
	}
	return onlyA, onlyB
}
