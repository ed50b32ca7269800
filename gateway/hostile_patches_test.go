package gateway_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// hostilePatches are patches from outside, and states that clients send, which cost much or mean two things.
func hostilePatches() (cases []hostileCase) {
	deep := strings.Repeat("/a", 20_000)
	for name, body := range map[string]string{
		"a deep pointer":                 `[{"op":"add","path":"` + deep + `","value":1}]`,
		"a deep test":                    `[{"op":"test","path":"` + deep + `","value":1}]`,
		"a deep value":                   `[{"op":"add","path":"/a","value":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}]`,
		"an index beyond all":            `[{"op":"add","path":"/list","value":[]},{"op":"add","path":"/list/99999999999","value":1}]`,
		"an index that is too large":     `[{"op":"add","path":"/list","value":[]},{"op":"add","path":"/list/99999999999999999999999","value":1}]`,
		"an index with a sign":           `[{"op":"add","path":"/list","value":[1]},{"op":"replace","path":"/list/-1","value":1}]`,
		"an index with zeros":            `[{"op":"add","path":"/list","value":[1]},{"op":"replace","path":"/list/00","value":1}]`,
		"an index in other digits":       `[{"op":"add","path":"/list","value":[1]},{"op":"replace","path":"/list/٠","value":1}]`,
		"a giant array":                  `[{"op":"add","path":"/a","value":[` + strings.TrimSuffix(strings.Repeat("0,", 30_000), ",") + `]}]`,
		"copies of copies":               "[" + `{"op":"add","path":"/a","value":"xxxxxxxxxx"},` + strings.TrimSuffix(strings.Repeat(`{"op":"add","path":"/b","value":{}},{"op":"copy","from":"/b","path":"/b/c"},`, 9), ",") + "]",
		"copies that double":             doubling(18),
		"a copy into itself":             `[{"op":"add","path":"/a","value":{}},{"op":"copy","from":"/a","path":"/a/b"}]`,
		"a move into itself":             `[{"op":"add","path":"/a","value":{}},{"op":"move","from":"/a","path":"/a/b"}]`,
		"a test of a large value":        `[{"op":"test","path":"/said","value":"` + strings.Repeat("x", 50_000) + `"}]`,
		"21 operations":                  "[" + strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/said","value":"Hello."},`, 21), ",") + "]",
		"minus zero":                     `[{"op":"add","path":"/a","value":-0}]`,
		"a number beyond all":            `[{"op":"add","path":"/a","value":1e400}]`,
		"a number of many digits":        `[{"op":"add","path":"/a","value":` + strings.Repeat("9", 30_000) + `}]`,
		"a test of a number beyond all":  `[{"op":"test","path":"/said","value":1e400}]`,
		"an operation with two paths":    `[{"op":"add","path":"/a","path":"/b","value":1}]`,
		"an operation that is two":       `[{"op":"test","op":"remove","path":"/said","value":1}]`,
		"a value with a member twice":    `[{"op":"add","path":"/a","value":{"b":1,"b":2}}]`,
		"an unknown operation":           `[{"op":"eval","path":"/a","value":1}]`,
		"no operation":                   `[{"path":"/a","value":1}]`,
		"no path":                        `[{"op":"add","value":1}]`,
		"no value":                       `[{"op":"add","path":"/a"}]`,
		"a path that is no pointer":      `[{"op":"add","path":"a","value":1}]`,
		"a path with a bad escape":       `[{"op":"add","path":"/~2","value":1}]`,
		"a path of null":                 `[{"op":"add","path":null,"value":1}]`,
		"a path with a zero":             `[{"op":"add","path":"/\u0000","value":1}]`,
		"a path with half a pair":        `[{"op":"add","path":"/\ud800","value":1}]`,
		"a prototype":                    `[{"op":"add","path":"/__proto__","value":{}},{"op":"add","path":"/__proto__/polluted","value":true}]`,
		"a constructor":                  `[{"op":"add","path":"/constructor/prototype/polluted","value":true}]`,
		"all of it removed":              `[{"op":"remove","path":""}]`,
		"all of it an array":             `[{"op":"replace","path":"","value":[]}]`,
		"an empty name":                  `[{"op":"add","path":"/","value":1}]`,
		"operations that are one object": `{"op":"add","path":"/a","value":1}`,
	} {
		cases = append(cases, hostileCase{name: "JSON Patch, " + name, sent: []string{request("PATCH", "/threads/hers/state", body, "Content-Type: application/json-patch+json")}})
	}
	for name, body := range map[string]string{
		"a prototype":       `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`,
		"deep":              strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"a member twice":    `{"a":1,"a":2}`,
		"10,000 members":    wide(5000),
		"beyond all":        `{"a":1e400}`,
		"an array":          `["a"]`,
		"everything gone":   `{"said":null,"turns":null}`,
		"an empty name":     `{"":1}`,
		"more than a state": `{"a":"` + strings.Repeat("x", 40_000) + `"}`,
	} {
		cases = append(cases, hostileCase{name: "merge patch, " + name, sent: []string{request("PATCH", "/threads/hers/state", body, "Content-Type: application/merge-patch+json")}})
		run := `{"threadId":` + quote("state "+name) + `,"runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"state":` + body + `}`
		cases = append(cases, hostileCase{name: "state of a run, " + name, sent: []string{request("POST", "/agents/echo", run)}})
	}
	slices.SortFunc(cases, func(a, b hostileCase) int { return strings.Compare(a.name, b.name) })
	return cases
}

// doubling returns a patch of n operations that makes a value 2 to the n times as large.
func doubling(n int) string {
	ops := []string{`{"op":"add","path":"/d","value":["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]}`}
	for range n {
		ops = append(ops, `{"op":"copy","from":"/d","path":"/d/0"}`)
	}
	return "[" + strings.Join(ops, ",") + "]"
}

// wide is an object of n members.
func wide(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = `"` + strconv.Itoa(i) + `":0`
	}
	return "{" + strings.Join(members, ",") + "}"
}
