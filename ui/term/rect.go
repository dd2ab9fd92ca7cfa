package term

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Has says whether a cell is in the rectangle.
func (r Rect) Has(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}
