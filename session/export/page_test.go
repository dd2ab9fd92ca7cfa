package export

import (
	"html/template"
	"reflect"
	"strings"
	"testing"
)

// TestPageIsThatOfTheLibrary fills the report with the worst that there is, and
// compares it with what html/template makes of it, byte for byte.
func TestPageIsThatOfTheLibrary(t *testing.T) {
	ours, err := parsePage(reportPage)
	if err != nil {
		t.Fatal(err)
	}
	theirs := template.Must(template.New("report").Parse(reportPage))
	for _, text := range []string{"", "plain", "<script>alert(1)</script>\x00\"'&+`=\u2028\xff--><!--]]>{{.}} javascript:x"} {
		for _, n := range []int{0, 1, 3} {
			r := report{}
			fillIn(reflect.ValueOf(&r).Elem(), text, n)
			r.Style, r.Script = "", ""
			var got, want strings.Builder
			if err := ours.write(&got, &r); err != nil {
				t.Fatal(err)
			}
			if err := theirs.Execute(&want, &r); err != nil {
				t.Fatal(err)
			}
			wanted := strings.Replace(want.String(), `<script>""</script>`, "<script></script>", 1) // a text, to it
			if got.String() != wanted {
				t.Errorf("with %q and %d of each:\n%s\nwant\n%s", text, n, got.String(), wanted)
			}
		}
	}
}

// fillIn sets every field: texts to text, numbers to n, and lists to n of each.
func fillIn(v reflect.Value, text string, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(n > 0)
	case reflect.Struct:
		for about, field := range v.Fields() {
			if about.IsExported() && about.Name != "Follows" { // which has no end
				fillIn(field, text, n)
			}
		}
	case reflect.Pointer:
		if n > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillIn(v.Elem(), text, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fillIn(v.Index(i), text, n)
		}
	default:
		if v.CanInt() {
			v.SetInt(int64(n))
		} else {
			v.SetUint(uint64(n))
		}
	}
}

// TestPageSaysWhatItCannot: a page with more than there is to fill it with is an
// error, not a page with holes.
func TestPageSaysWhatItCannot(t *testing.T) {
	for _, text := range []string{"{{.Nothing}}", "{{.N | .M}}", "{{range .N}}{{end}}", "{{.F}}", "{{1}}", "{{break}}"} {
		p, err := parsePage(text)
		if err == nil {
			err = p.write(new(strings.Builder), &struct {
				N, M int
				F    func()
			}{})
		}
		if err == nil {
			t.Errorf("%s is filled", text)
		}
	}
}
