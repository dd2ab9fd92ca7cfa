package ask

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if RunsJQ(os.Getenv, os.Stdin, os.Stdout) {
		return
	}
	os.Exit(m.Run())
}

// TestJQ: a program of an agent has its results, and no environment; one that takes too much
// memory or time says so, and midwire itself takes neither.
func TestJQ(t *testing.T) {
	t.Parallel()
	got, err := jq(t.Context(), `.a[], (.a|length), $ENV, env`, []byte(`{"a":["x",{"b":1}]}`))
	if err != nil || strings.Join(strings.Fields(got), "") != `x{"b":1}2{}{}` {
		t.Errorf("%q, %v", got, err)
	}
	for program, want := range map[string]string{
		`[range(1e9)]`:                        "it takes",
		`"x" * 2000000000`:                    "it takes",
		`[.] | .[300000000] = 1`:              "it takes",
		`reduce range(60) as $i ("x"; . + .)`: "it takes",
		`def f: f; f`:                         "it takes too long",
		`.a | error`:                          "it ended with an error of its own",
		`.a[`:                                 "Write jq",
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			_, err := jq(t.Context(), program, []byte(`{"a":["x"]}`))
			if !errors.As(err, new(Mistake)) || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
		})
	}
	if _, err := jq(t.Context(), ".", []byte("no JSON")); !errors.Is(err, errNoJSON) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := jq(ctx, "def f: f; f", []byte("1")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
