package rules

import (
	"bytes"
	"strconv"
	"strings"

	"midwire/session/wire"

	"go.yaml.in/yaml/v3"
)

// frontmatter is the YAML that a file begins with, between two lines ---; false where
// there is none.
func frontmatter(content []byte) ([]byte, bool) {
	content = bytes.TrimPrefix(content, byteOrderMark)
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	if string(bytes.TrimRight(first, " \t\r")) != "---" {
		return nil, false
	}
	for at := 0; at < len(rest); {
		line, _, more := bytes.Cut(rest[at:], []byte("\n"))
		if string(bytes.TrimRight(line, " \t\r")) == "---" {
			return rest[:at], true
		}
		if at += len(line) + 1; !more || at > maxFront {
			break
		}
	}
	return nil, false
}

// maxNesting is how deep values are compared.
const maxNesting = 24

// yamlDiffers says in which member an object of JSON is not the same as YAML, and how;
// nothing where they are the same, and where readers of YAML may differ.
func yamlDiffers(object, text []byte) (member, how string) {
	var doc yaml.Node
	if len(text) > maxFront || yaml.Unmarshal(text, &doc) != nil || len(doc.Content) != 1 {
		return "", ""
	}
	return mapDiffers("", doc.Content[0], object, 0)
}

func mapDiffers(at string, node *yaml.Node, object []byte, depth int) (member, how string) {
	inFile := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Value == "<<" || inFile[key.Value] != nil {
			return "", ""
		}
		inFile[key.Value] = node.Content[i+1]
	}
	wire.Each(object, func(key, value []byte) bool {
		name := wire.Text([]byte(`"` + string(key) + `"`))
		of := inFile[name]
		if delete(inFile, name); of == nil {
			member, how = at+name, "is not in the file"
			return false
		}
		member, how = valueDiffers(at+name, of, value, depth+1)
		return how == ""
	})
	if how != "" {
		return member, how
	}
	for _, name := range sortedKeys(inFile) {
		if inFile[name].Tag != "!!null" {
			return at + name, "is in the file and not in the entry"
		}
	}
	return "", ""
}

// valueDiffers compares a value. What it cannot tell is the same.
func valueDiffers(at string, node *yaml.Node, value []byte, depth int) (member, how string) {
	if depth > maxNesting || len(value) == 0 || node.Kind == yaml.AliasNode || node.Style&yaml.TaggedStyle != 0 {
		return "", ""
	}
	switch kind := value[0]; {
	case node.Kind == yaml.MappingNode && kind == '{':
		return mapDiffers(at+".", node, value, depth)
	case node.Kind == yaml.SequenceNode && kind == '[':
		return listDiffers(at, node, value, depth)
	case node.Kind != yaml.ScalarNode || kind == '{' || kind == '[':
		return at, "is of another kind in the file"
	}
	if sameScalar(node, value) {
		return "", ""
	}
	return at, "is " + quoteJSON(value) + " in the entry and " + quote(node.Value) + " in the file"
}

func listDiffers(at string, node *yaml.Node, value []byte, depth int) (member, how string) {
	n := 0
	wire.Items(value, func(i int, item []byte) bool {
		if n++; i < len(node.Content) {
			member, how = valueDiffers(at+"."+number(i), node.Content[i], item, depth+1)
		}
		return how == ""
	})
	if how == "" && n != len(node.Content) {
		return at, "has " + number(n) + " items in the entry and " + number(len(node.Content)) + " in the file"
	}
	return member, how
}

// sameScalar compares what is not made of other values. Readers differ in how they take
// what stands without quotes: a date, yes and no, a number.
func sameScalar(node *yaml.Node, value []byte) bool {
	said := wire.Plain(value)
	if strings.TrimSpace(said) == strings.TrimSpace(node.Value) {
		return true
	}
	if node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return false
	}
	switch node.ShortTag() {
	case "!!str":
		return value[0] != '"' // yes and no, as YAML 1.1 has them
	case "!!int", "!!float":
		a, err := strconv.ParseFloat(said, 64)
		b, err2 := strconv.ParseFloat(node.Value, 64)
		return err == nil && err2 == nil && a == b || err2 != nil
	case "!!bool":
		return strings.EqualFold(said, node.Value)
	case "!!null":
		return said == "" || said == "null"
	}
	return true
}
