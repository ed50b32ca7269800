package errcode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// codeRow is a row of the table of codes: codes in backquotes, then when they are used.
var codeRow = regexp.MustCompile("(?m)^\\| ((?:`[a-z_]+` ?)+)\\| [^|]+ \\|$")

// codesOfContract are the codes that docs/reference/errors.md promises, each once.
func codesOfContract(t *testing.T) []Code {
	t.Helper()
	text, err := os.ReadFile("../docs/reference/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	var codes []Code
	for _, row := range codeRow.FindAllStringSubmatch(string(text), -1) {
		for _, name := range strings.Fields(row[1]) {
			if code := Code(strings.Trim(name, "`")); !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

func TestCodesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	contract := codesOfContract(t)
	for _, code := range contract {
		if !code.Known() {
			t.Errorf("docs/reference/errors.md promises %s, which is no code", code)
		}
	}
	for code := range table {
		if !slices.Contains(contract, code) {
			t.Errorf("docs/reference/errors.md lacks %s", code)
		}
	}
}

func TestEveryCodeHasItsSentence(t *testing.T) {
	t.Parallel()
	for code, row := range table {
		if !strings.HasSuffix(row.message, ".") || strings.ToUpper(row.message[:1]) != row.message[:1] {
			t.Errorf("%s: %q is not a sentence", code, row.message)
		}
	}
	if Code("custom").Message() == "" || Code("custom").Known() {
		t.Error("a foreign code must have a general sentence and not be known")
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	coded := &Error{Code: ToolFailed, Err: errors.New("secret")}
	for _, test := range []struct {
		err  error
		want Code
	}{
		{nil, ""},
		{errors.New("x"), Internal},
		{context.DeadlineExceeded, Internal},
		// in data to send, not in received data
		{&agui.EventError{Type: agui.TypeStateDelta, Problem: "is missing"}, Internal},
		{coded, ToolFailed},
		{fmt.Errorf("a: %w", coded), ToolFailed},
		{&agui.FieldError{Path: "threadId", Problem: "is missing"}, InvalidInput},
		{fmt.Errorf("a: %w", agui.ErrUnsupportedVersion), UnsupportedVersion},
	} {
		if got := Of(test.err); got != test.want {
			t.Errorf("Of(%v) = %q, want %q", test.err, got, test.want)
		}
	}
}

func TestAClientReadsTheFieldButNoOtherCause(t *testing.T) {
	t.Parallel()
	secret := &Error{Code: ModelAuth, Err: errors.New("key sk-123 is wrong")}
	if strings.Contains(secret.Public(), "sk-") || !strings.Contains(secret.Error(), "sk-") {
		t.Errorf("Public() = %q, Error() = %q", secret.Public(), secret.Error())
	}
	field := &Error{Code: InvalidInput, Err: &agui.FieldError{Path: "messages[0].id", Problem: "is missing"}}
	if want := "The request is malformed. messages[0].id: is missing."; field.Public() != want {
		t.Errorf("Public() = %q, want %q", field.Public(), want)
	}
	body := &Error{Code: InvalidInput, Err: &agui.FieldError{Path: "", Problem: "is not JSON"}}
	if want := "The request is malformed. The body is not JSON."; body.Public() != want {
		t.Errorf("Public() = %q, want %q", body.Public(), want)
	}
	written := &Error{Code: "sold_out", Text: "We are sold out.", Err: errors.New("stock is 0")}
	if written.Public() != "We are sold out." || strings.Contains(written.Error(), "We are") {
		t.Errorf("Public() = %q, Error() = %q", written.Public(), written.Error())
	}
	if got := (&Error{Code: Internal}).Public(); got != Internal.Message() {
		t.Errorf("Public() = %q", got)
	}
}
