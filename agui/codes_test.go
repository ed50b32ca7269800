package agui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// contractCodes is the list of the gateway's contract, copied so that neither side drifts unnoticed.
const contractCodes = `invalid_input unsupported_version unauthorized forbidden not_found ambiguous_thread method_not_allowed too_large
	unsupported_media_type rate_limited overloaded draining store_unavailable run_in_progress queue_full run_moved run_lost run_timeout
	cancelled interrupt_pending interrupt_not_found interrupt_expired interrupt_already_resolved resume_incomplete resume_invalid
	resume_ambiguous checkpoint_incompatible unknown_speaker no_progress no_route not_converged agent_failed remote_failed model_auth
	model_request model_response model_content_filter model_unavailable tool_failed internal`

func TestEveryCodeOfTheContractHasItsSentence(t *testing.T) {
	t.Parallel()
	names := strings.Fields(contractCodes)
	for _, name := range names {
		if !Code(name).Known() {
			t.Errorf("no sentence for %s", name)
		}
	}
	if len(names) != len(messages) {
		t.Errorf("%d codes have a sentence, the contract has %d", len(messages), len(names))
	}
	for code, sentence := range messages {
		if !strings.HasSuffix(sentence, ".") || strings.ToUpper(sentence[:1]) != sentence[:1] {
			t.Errorf("%s: %q is not a sentence", code, sentence)
		}
	}
	if Code("custom").Message() == "" || Code("custom").Known() {
		t.Error("a foreign code must have a general sentence and not be known")
	}
}

func TestCodeOf(t *testing.T) {
	t.Parallel()
	coded := &Error{Code: CodeToolFailed, Err: errors.New("secret")}
	for _, test := range []struct {
		err  error
		want Code
	}{
		{nil, ""},
		{errors.New("x"), CodeInternal},
		{context.DeadlineExceeded, CodeInternal},
		{coded, CodeToolFailed},
		{fmt.Errorf("a: %w", coded), CodeToolFailed},
		{&FieldError{"threadId", "is missing"}, CodeInvalidInput},
		{fmt.Errorf("a: %w", ErrUnsupportedVersion), CodeUnsupportedVersion},
	} {
		if got := CodeOf(test.err); got != test.want {
			t.Errorf("CodeOf(%v) = %q, want %q", test.err, got, test.want)
		}
	}
}

func TestAClientReadsTheFieldButNoOtherCause(t *testing.T) {
	t.Parallel()
	secret := &Error{Code: CodeModelAuth, Err: errors.New("key sk-123 is wrong")}
	if strings.Contains(secret.Public(), "sk-") || !strings.Contains(secret.Error(), "sk-") {
		t.Errorf("Public() = %q, Error() = %q", secret.Public(), secret.Error())
	}
	field := &Error{Code: CodeInvalidInput, Err: &FieldError{"messages[0].id", "is missing"}}
	if want := "The request is malformed. messages[0].id: is missing."; field.Public() != want {
		t.Errorf("Public() = %q, want %q", field.Public(), want)
	}
	body := &Error{Code: CodeInvalidInput, Err: &FieldError{"", "is not JSON"}}
	if want := "The request is malformed. The body is not JSON."; body.Public() != want {
		t.Errorf("Public() = %q, want %q", body.Public(), want)
	}
	written := &Error{Code: "sold_out", Text: "We are sold out.", Err: errors.New("stock is 0")}
	if written.Public() != "We are sold out." || strings.Contains(written.Error(), "We are") {
		t.Errorf("Public() = %q, Error() = %q", written.Public(), written.Error())
	}
	if got := (&Error{Code: CodeInternal}).Public(); got != CodeInternal.Message() {
		t.Errorf("Public() = %q", got)
	}
}
