package a2ui

import (
	"encoding/json"
	"strings"
)

// A Problem is one reason why a surface is not drawn, in words that a model can mend it by. The codes are those of
// A2UI's toolkit, which pages show to developers.
type Problem struct {
	Code    string `json:"code"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// The codes of problems.
const (
	CodeEmpty          = "empty_components"
	CodeNoID           = "missing_id"
	CodeNoType         = "missing_component_type"
	CodeDuplicate      = "duplicate_id"
	CodeNoRoot         = "no_root"
	CodeUnknown        = "unknown_component"
	CodeMissing        = "missing_required_prop"
	CodeNoChild        = "unresolved_child"
	CodeCycle          = "child_cycle"
	CodeTooLarge       = "too_large"
	CodeNotData        = "data_not_object"
	CodeFunction       = "unknown_function"
	CodePath           = "unsafe_path"
	codeExhausted      = "a2ui_recovery_exhausted"
	codeInvalid        = "a2ui_invalid"
	maxProblems        = 20
	maxProblemNameSize = 200
)

// FormatProblems formats problems for a model, one line each.
func FormatProblems(problems []Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = "- [" + p.Code + "] " + p.Path + ": " + p.Message
	}
	return strings.Join(lines, "\n")
}

// An Attempt is one try at a surface.
type Attempt struct {
	Attempt int       `json:"attempt"` // from 1
	OK      bool      `json:"ok"`
	Errors  []Problem `json:"errors"`
}

// A failure is the result of a tool that made no surface.
type failure struct {
	Error    string    `json:"error"`
	Code     string    `json:"code"`
	Attempts []Attempt `json:"attempts,omitempty"`
	Errors   []Problem `json:"errors,omitempty"`
}

// Exhausted returns the result of a tool after its last attempt. Pages show that there is no surface, and the model may
// continue without.
func Exhausted(attempts []Attempt) string {
	return encode(failure{Error: "No valid surface was made in as many attempts as there may be. Go on without it.",
		Code: codeExhausted, Attempts: attempts})
}

// Invalid is the result of a call that renders and was not valid: the model may call again.
func Invalid(problems []Problem) string {
	return encode(failure{Error: "The surface is not shown. Mend what is wrong and call again with all arguments.",
		Code: codeInvalid, Errors: problems})
}

// ReadInvalid returns the problems that [Invalid] wrote, and whether it did.
func ReadInvalid(text string) ([]Problem, bool) {
	f := readFailure(text)
	return f.Errors, f.Code == codeInvalid
}

func readFailure(text string) (f failure) {
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &f) != nil {
		return failure{}
	}
	return f
}

func encode(v any) string {
	raw, _ := json.Marshal(v) // of strings and numbers
	return string(raw)
}

// ReadExhausted returns the attempts that [Exhausted] wrote; nil for any other text.
func ReadExhausted(text string) []Attempt {
	f := readFailure(text)
	if f.Code != codeExhausted || f.Attempts == nil {
		return nil
	}
	return f.Attempts
}
