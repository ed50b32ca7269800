package a2ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// formatString is the function that parses a text, and calls the functions in it.
const formatString = "formatString"

// functions are the functions of the basic catalogue that a surface may call.
var functions = []string{
	"add", "subtract", "multiply", "divide", "equals", "not_equals", "greater_than", "less_than", "and", "or", "not",
	"contains", "starts_with",
	"ends_with", "required", "length", "numeric", "email", formatString, "formatNumber", "formatCurrency", "formatDate",
	"pluralize",
}

// openURL is the function that opens an address. A value may be a call, which is made when the value is drawn, so it
// would reach any host without a press. It is allowed where it is an action.
const openURL = "openUrl"

// action is the path of a call that is made when a person presses.
var action = regexp.MustCompile(`^(a2ui_operations\[\d+\]\.updateComponents\.)?` +
	`components\[\d+\]\.action\.functionCall$`)

// refusedFunctions are called in no value, whatever a catalogue has. A regular expression may never end.
var refusedFunctions = []string{openURL, "regex"}

func (c Catalogue) calls(name string) bool {
	return slices.Contains(functions, name) ||
		slices.Contains(c.Functions, name) && !slices.Contains(refusedFunctions, name)
}

// checkCalls reports calls that a surface may not make in a value at path. In components an object with the member call
// is one, in data only if it has args too.
func (v *validation) checkCalls(path string, value any, data bool) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			v.checkCalls(fmt.Sprintf("%s[%d]", path, i), item, data)
		}
	case map[string]any:
		args, called := value["args"]
		if call, there := value["call"]; there && (called || !data) {
			v.checkCall(path, call, args)
		}
		if inner, ok := value["path"].(string); ok {
			v.checkPath(path, inner)
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := strings.TrimPrefix(path+"."+clip.To(name, maxProblemNameSize), ".")
			v.checkCalls(at, value[name], data && name != "updateComponents")
		}
	}
}

// checkPath reports a path that leads out of the data, to a prototype: renderers write where a path leads.
func (v *validation) checkPath(at, path string) {
	if jsonpatch.ReachesPrototype(strings.FieldsFunc(path, func(r rune) bool { return r == '/' })) {
		v.report(CodePath, at+".path",
			fmt.Sprintf("the path %q leads out of the data", clip.To(path, maxProblemNameSize)))
	}
}

func (v *validation) checkCall(path string, call, args any) {
	name, ok := call.(string)
	if name == openURL && action.MatchString(path) {
		return
	}
	if !ok || !v.catalogue.calls(name) {
		v.report(CodeFunction, path+".call",
			fmt.Sprintf("a surface may not call the function %q", clip.To(fmt.Sprint(call), maxProblemNameSize)))
		return
	}
	if name != formatString {
		return
	}
	members, _ := args.(map[string]any)
	switch template := members["value"].(type) {
	case string:
		for _, name := range calledIn(template) {
			if name == formatString || !v.catalogue.calls(name) {
				v.report(CodeFunction, path+".args.value",
					fmt.Sprintf("a text may not call the function %q", clip.To(name, maxProblemNameSize)))
			}
		}
	case map[string]any, []any:
		v.report(CodeFunction, path+".args.value",
			"the value of formatString has to be a text, because functions in it are called")
	}
}

// calledName is the name of a function before its arguments, with all that JavaScript takes for white space.
var calledName = regexp.MustCompile(`([\w/.-]*)[\s\v\p{Z}\x{FEFF}]*\(`)

// calledIn returns the names of the functions that formatString calls in a text.
func calledIn(template string) (names []string) {
	for template != "" {
		switch {
		case strings.HasPrefix(template, `\${`):
			template = template[3:]
		case strings.HasPrefix(template, "${"):
			var expression string
			expression, template = cutExpression(template[2:])
			for _, match := range calledName.FindAllStringSubmatch(expression, -1) {
				names = append(names, match[1])
			}
		default:
			template = template[1:]
		}
	}
	return names
}

// cutExpression returns the expression that text begins with, up to its closing brace and without its quoted texts, and
// what follows.
func cutExpression(text string) (expression, rest string) {
	var kept strings.Builder
	depth, quote := 1, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
			kept.WriteByte(c)
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return kept.String(), text[i+1:]
			}
		default:
			kept.WriteByte(c)
		}
	}
	return kept.String(), ""
}

// Screened returns the content of an activity of another server as it may be shown: content, or that of a failure if
// its surface makes calls that no surface may make, or has a path out of its data.
func Screened(content json.RawMessage) json.RawMessage {
	var v validation
	if v.checkJSONCalls("", content, true); v.problems == nil {
		return content
	}
	return undrawable("", v.problems).Content
}

func (v *validation) checkJSONCalls(path string, raw json.RawMessage, data bool) {
	var value any
	if json.Unmarshal(raw, &value) == nil {
		v.checkCalls(path, value, data)
	}
}
