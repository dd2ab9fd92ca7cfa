package export

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"text/template/parse"
)

// page is a parsed page, in the language of html/template as far as the report needs
// it: fields, variables, if, with, range, template and or. html/template can call any
// method by its name, so that a program that has it keeps all methods of all types:
// three megabytes of midwire.
type page map[string]*parse.Tree

// markup goes into a page as it is. Every other value is escaped for text and for
// attributes in double quotes; a page must have values nowhere else.
type markup string

var escaped = strings.NewReplacer(
	"\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;", ">", "&gt;",
)

func parsePage(text string) (page, error) {
	return parse.Parse("report", text, "", "", map[string]any{"or": true})
}

// write fills the page with the fields of a struct.
func (p page) write(w io.Writer, data any) error {
	f := filling{page: p, vars: []binding{{"$", reflect.ValueOf(data)}}}
	f.walk(p["report"].Root, f.vars[0].value)
	if f.err != nil {
		return fmt.Errorf("report: %w", f.err)
	}
	_, err := io.WriteString(w, f.out.String())
	return err
}

type binding struct {
	name  string
	value reflect.Value
}

// filling is a page while it is filled: what was written, and the variables there are.
type filling struct {
	page
	out  strings.Builder
	vars []binding
	err  error // the first one
}

func (f *filling) walk(node parse.Node, dot reflect.Value) {
	switch n := node.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			f.walk(one, dot)
		}
	case *parse.TextNode:
		f.out.Write(n.Text)
	case *parse.ActionNode:
		if value := f.pipe(n.Pipe, dot); len(n.Pipe.Decl) == 0 {
			f.print(value)
		}
	case *parse.IfNode:
		f.branch(&n.BranchNode, dot, false)
	case *parse.WithNode:
		f.branch(&n.BranchNode, dot, true)
	case *parse.RangeNode:
		f.each(&n.BranchNode, dot)
	case *parse.TemplateNode:
		value := f.pipe(n.Pipe, dot)
		inner := f.vars
		f.vars = []binding{{"$", value}}
		f.walk(f.page[n.Name].Root, value)
		f.vars = inner
	default:
		f.fail("no value for %s", n)
	}
}

// branch takes one side of an if or a with; in a with the dot is its value.
func (f *filling) branch(n *parse.BranchNode, dot reflect.Value, with bool) {
	outer := len(f.vars)
	value := f.pipe(n.Pipe, dot)
	switch {
	case f.holds(value) && with:
		f.walk(n.List, value)
	case f.holds(value):
		f.walk(n.List, dot)
	case n.ElseList != nil:
		f.walk(n.ElseList, dot)
	}
	f.vars = f.vars[:outer]
}

func (f *filling) each(n *parse.BranchNode, dot reflect.Value) {
	all := f.pipe(&parse.PipeNode{Cmds: n.Pipe.Cmds}, dot)
	if all.Kind() != reflect.Slice {
		f.fail("%s is not a list", n.Pipe)
		return
	}
	outer := len(f.vars)
	for i := range all.Len() {
		for _, v := range n.Pipe.Decl {
			f.vars = append(f.vars, binding{v.Ident[0], all.Index(i)})
		}
		f.walk(n.List, all.Index(i))
		f.vars = f.vars[:outer]
	}
	if all.Len() == 0 && n.ElseList != nil {
		f.walk(n.ElseList, dot)
	}
}

// pipe is the value of what stands in an action; it may declare a variable.
func (f *filling) pipe(n *parse.PipeNode, dot reflect.Value) (value reflect.Value) {
	if len(n.Cmds) != 1 {
		f.fail("no value for %s", n)
		return dot
	}
	args := n.Cmds[0].Args
	if name, ok := args[0].(*parse.IdentifierNode); ok && name.Ident == "or" {
		args = args[1:]
	}
	for _, arg := range args { // of or, until one holds
		if value = f.arg(arg, dot); f.holds(value) {
			break
		}
	}
	for _, v := range n.Decl {
		f.vars = append(f.vars, binding{v.Ident[0], value})
	}
	return value
}

func (f *filling) arg(node parse.Node, dot reflect.Value) reflect.Value {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return f.field(dot, n.Ident)
	case *parse.VariableNode:
		for i := len(f.vars) - 1; i >= 0; i-- {
			if f.vars[i].name == n.Ident[0] {
				return f.field(f.vars[i].value, n.Ident[1:])
			}
		}
	}
	f.fail("no value for %s", node)
	return dot
}

func (f *filling) field(of reflect.Value, names []string) reflect.Value {
	for _, name := range names {
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || !of.FieldByName(name).IsValid() {
			f.fail("there is no field %s", name)
			return reflect.ValueOf("")
		}
		of = of.FieldByName(name)
	}
	return of
}

// holds reports whether a value is one for if, with and or: neither zero nor empty.
func (f *filling) holds(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.String:
		return v.Len() > 0
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}

func (f *filling) print(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[markup]():
		f.out.WriteString(v.String())
	case v.Kind() == reflect.String:
		_, _ = escaped.WriteString(&f.out, v.String()) // a builder takes everything
	case v.CanInt():
		f.out.WriteString(strconv.FormatInt(v.Int(), 10))
	case v.CanUint():
		f.out.WriteString(strconv.FormatUint(v.Uint(), 10))
	default:
		f.fail("cannot print a %s", v.Type())
	}
}

func (f *filling) fail(format string, a ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, a...)
	}
}
