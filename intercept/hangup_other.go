//go:build !unix

package intercept

import (
	"context"
	"os"
)

// UntilHungUp is ctx: a console that is closed ends its programs.
func UntilHungUp(ctx context.Context, _ *os.File) context.Context { return ctx }
