package syntax

import (
	"bytes"
	"testing"
)

// say writes a value as people talk of it.
func (n *Node) say(out *bytes.Buffer) {
	switch n.Kind {
	case Map:
		for _, m := range n.Members {
			out.WriteString(m.Name + "=")
			m.Value.say(out)
		}
	case List:
		out.WriteByte('[')
		for _, i := range n.Items {
			i.say(out)
		}
		out.WriteByte(']')
	default:
		out.WriteString("<" + n.Text + ">")
	}
	out.WriteString(n.Mark)
}

// TestParse: the same values in every format, whatever they look like.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		format     Format
		data, want string
	}{
		{JSON, "\ufeff{ /* c */ \"a\" : [1, \"x\\\"\\u00e9\",], // d\r\n \"b\":{},}", `a=[<1><x"é>]b=`},
		{JSON, `[true,null,-1.5e+3]//`, "[<true><null><-1.5e+3>]"},
		{TOML, "a = 1 # c\n[t.\"x.y\"]\nb = ['x', \"y\"]\n[[l]]\nc={d.e=true}\n[[l]]\n[l.m]\nz='''\nq'''\n", "a=<1>t=x.y=b=[<x><y>]l=[c=d=e=<true>m=z=<q>]"},
		{TOML, "a.b = 1\na.c = 2026-01-02\n", "a=b=<1>c=<2026-01-02>"},
		{YAML, "a: é # c\r\nb:\r\n- 'x''y'\r\n- \"z\\\"\"\r\nc: {d: ~}\r\n", `a=<é>b=[<x'y><z">]c=d=<!!null ~>`},
		{YAML, "1: &x |\n  t\n\"1\": *x\nl:\n  - - q\n", "!!int 1=<t\n>x1=<x>*xl=[[<q>]]"},
		{YAML, "# nothing\n", ""},
	} {
		f, err := Parse(c.format, []byte(c.data))
		if err != nil {
			t.Errorf("%q: %v", c.data, err)
			continue
		}
		var out bytes.Buffer
		if f.Root.say(&out); out.String() != c.want {
			t.Errorf("%q\nsays %q\nnot  %q", c.data, out.String(), c.want)
		}
		if !bytes.Equal(f.Apply(), []byte(c.data)) {
			t.Errorf("%q is not itself", c.data)
		}
		if clone := f.Root.Clone(); !clone.Equal(f.Root) {
			t.Errorf("%q: the clone is another", c.data)
		}
	}
}

// FuzzParse: no file makes it panic, and where a text is said to stand, it
// stands.
func FuzzParse(f *testing.F) {
	f.Add(uint8(0), []byte(`{"a": ["b", 1.5, null,], // c`+"\n"+`"d": {}}`))
	f.Add(uint8(1), []byte("a.b = ['c']\n[t]\nx = {y = \"\"\"z\"\"\"}\n[[l]]\n"))
	f.Add(uint8(2), []byte("a: [b, 'c']\nd:\n- \"e\" # f\n- |\n  g\n"))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		format := []Format{JSON, TOML, YAML}[which%3]
		file, err := Parse(format, data)
		if err != nil {
			return
		}
		checkPlaces(t, file, file.Root)
	})
}

func checkPlaces(t *testing.T, f *File, n *Node) {
	if n.From < 0 || n.From > len(f.data) || n.To > len(f.data) {
		t.Fatalf("%+v stands outside of %q", n, f.data)
	}
	if n.Kind == String && n.To > 0 {
		// A text that is put in its own place is what it was.
		s := f.Replace(n, f.Raw(n))
		if again, err := Parse(f.Format, f.Apply(s)); err != nil || !again.Root.Equal(f.Root) {
			t.Fatalf("%q: %v", f.Raw(n), err)
		}
		if n.Text != "" && len(f.Raw(n)) < len(n.Text) {
			t.Fatalf("%q is spelled %q", n.Text, f.Raw(n))
		}
	}
	for _, m := range n.Members {
		checkPlaces(t, f, m.Value)
	}
	for _, i := range n.Items {
		checkPlaces(t, f, i)
	}
}
