package document

import "testing"

func TestReadableJSON(t *testing.T) {
	for in, want := range map[string]string{
		`"caf\u00e9 \ud83d\ude00"`: `"café 😀"`,
		`"\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67 \ud83d\udc4d\ud83c\udffd"`: `"👩👩👧 👍"`,
		"\"👩\u200d👧\"":                     `"👩👧"`,
		`"\u001b[0m \u202e \u0022 \u005c"`: `"\u001b[0m \u202e \u0022 \u005c"`, // control, bidirectional, what ends a string
		`"\u003cb\u003E https:\/\/a"`:      `"<b> https://a"`,
		`"\\u00e9 \ud83d x \u12"`:          `"\\u00e9 \ud83d x \u12"`,
		`"a\nb\"\u4e2d"`:                   `"a\nb\"中"`,
	} {
		if got := ReadableJSON(in); got != want {
			t.Errorf("%s is %s, not %s", in, got, want)
		}
	}
}
