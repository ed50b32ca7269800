package teamfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// schemaWidth is the number of columns of the schema.
const schemaWidth = 160

// TestSchemaIsCurrent wants the schema to have the keys of each type of agents, participants and managers that the reader
// asks for, and participants to refer to the keys of agents. With -update it writes the schema.
func TestSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	r := reader{file: schemaPath}
	root := r.parseYAML(raw) // JSON is YAML
	if err := r.err(); err != nil {
		t.Fatal(err)
	}
	asked, definitions := askedKeys(t), root.member("definitions")
	for _, name := range []string{"agent", "participant", "manager"} {
		for _, rule := range definitions.member(name).member("allOf").items {
			kind := "agent"
			if v := rule.member("if").member("properties").member("type"); v != nil {
				kind = v.member("const").text
			}
			names := rule.member("then").member("propertyNames").member("enum")
			names.items = nil
			for _, key := range asked[name+" "+kind] {
				names.items = append(names.items, textValue(key))
			}
		}
	}
	referToAgents(definitions, asked)
	var b strings.Builder
	writeSchema(&b, root, "")
	switch got := b.String() + "\n"; {
	case *update:
		if err := os.WriteFile(schemaPath, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != string(raw):
		t.Errorf("%s is not current: run go test ./gateway/teamfile -run TestSchemaIsCurrent -update", schemaPath)
	}
}

// referToAgents makes the properties of participants that are those of agents refer to these, and adds missing ones.
func referToAgents(definitions *Value, asked map[string][]string) {
	agents, own := definitions.member("agent").member("properties"), definitions.member("participant").member("properties")
	may := map[string]bool{}
	for kind, keys := range asked {
		if strings.HasPrefix(kind, "participant ") {
			maps.Insert(may, maps.All(setOf(keys)))
		}
	}
	for i, key := range agents.keys {
		ref := &Value{kind: mappingNode, keys: []*Value{textValue("$ref")}, items: []*Value{
			textValue("#/definitions/agent/properties/" + key.text),
		}}
		at := slices.IndexFunc(own.keys, func(k *Value) bool { return k.text == key.text })
		switch {
		case at < 0 && may[key.text]:
			own.keys, own.items = append(own.keys, key), append(own.items, ref)
		case at >= 0 && compact(own.items[at]) == compact(agents.items[i]):
			own.items[at] = ref
		}
	}
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, item := range list {
		set[item] = true
	}
	return set
}

func textValue(text string) *Value { return &Value{kind: scalarNode, tag: "!!str", text: text} }

// compact returns a value of the schema in one line.
func compact(v *Value) string {
	var parts []string
	if v.kind == listNode {
		for _, item := range v.items {
			parts = append(parts, compact(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if v.kind == mappingNode {
		for i, item := range v.items {
			parts = append(parts, fmt.Sprintf("%s: %s", compact(v.keys[i]), compact(item)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if v.tag != "!!str" {
		return v.text
	}
	var b bytes.Buffer
	encode := json.NewEncoder(&b)
	encode.SetEscapeHTML(false)
	_ = encode.Encode(v.text) // a text can be encoded
	return strings.TrimSpace(b.String())
}

// writeSchema writes a value in one line if it fits behind the text in b, else its members in lines.
func writeSchema(b *strings.Builder, v *Value, indent string) {
	column := b.Len() - strings.LastIndex(b.String(), "\n")
	one, inner := compact(v), indent+"  "
	if v.kind == scalarNode || column+len(one) < schemaWidth && indent != "" {
		b.WriteString(one)
		return
	}
	brackets := "[]"
	if v.kind == mappingNode {
		brackets = "{}"
	}
	b.WriteString(brackets[:1])
	line := schemaWidth // of short items, which share lines
	for i, item := range v.items {
		short := v.kind == listNode && item.kind == scalarNode
		text := compact(item)
		if i > 0 {
			b.WriteString(",")
		}
		if short && line+len(text) < schemaWidth {
			b.WriteString(" ")
			line += 2
		} else {
			b.WriteString("\n" + inner)
			line = len(inner)
		}
		line += len(text)
		if v.kind == mappingNode {
			b.WriteString(compact(v.keys[i]) + ": ")
		}
		writeSchema(b, item, inner)
	}
	b.WriteString("\n" + indent + brackets[1:])
}
