package export

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"midwire/session/diagnose/sdkwords"
	"midwire/session/words"
)

// TestWordsPage holds docs/words.md to the table. UPDATE=1 writes the page again.
func TestWordsPage(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "words.md")
	want := wordsPage()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("docs/words.md is not what the table says: UPDATE=1 go test ./session/export writes it (%v)", err)
	}
}

// wordsPage is the table of error texts as a page.
func wordsPage() string {
	var b strings.Builder
	b.WriteString("# What error texts mean\n\nSDKs, servers, gateways and programs word the same cause differently. This page is generated from the table by which midwire recognises their texts (`words.txt` and `programs.txt` in `session/diagnose/sdkwords`). `midwire explain \"TEXT\"` looks a text up.\n\nIn a text, … is any text and \\* one word. Words alone prove nothing: midwire reports what the traffic shows, and names the SDK whose words a refusal has.\n")
	for _, m := range sdkwords.Meanings() {
		b.WriteString("\n## " + m.String() + "\n\n" + markdown(m.Says()) + " Rules:")
		for i, id := range m.Rules() {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(" [`" + id + "`](../session/diagnose/rules/help/" + id + ".md)")
		}
		b.WriteString(".\n\n| Text | Who says it | HTTP | Code | Where | Source |\n|---|---|---|---|---|---|\n")
		for _, p := range sdkwords.Phrases() {
			if slices.Contains(p.Means, m) {
				row := []string{cell(p.Text), cell(whose(p)), p.Status, p.Code, p.Place, sourceOf(p)}
				b.WriteString("| " + strings.Join(row, " | ") + " |\n")
			}
		}
	}
	return b.String()
}

func whose(p *sdkwords.Phrase) string {
	if p.General {
		return "anyone"
	}
	return p.SDK + " " + p.Version
}

func sourceOf(p *sdkwords.Phrase) string {
	if p.General || p.SDK == "midwire" {
		return "-"
	}
	return "[" + p.File[strings.LastIndexByte(p.File, '/')+1:] + "](https://" + p.Repository + " \"" + p.File + "\")"
}

func cell(s string) string { return strings.ReplaceAll(markdown(s), "|", `\|`) }

var metaWord = words.Pattern(`\b_meta\b`)

// markdown keeps a text from being read as markup.
func markdown(s string) string {
	s = strings.NewReplacer("*", `\*`, "<", "&lt;", "[", `\[`, "]", `\]`).Replace(s)
	return metaWord().ReplaceAllString(s, "`_meta`")
}
