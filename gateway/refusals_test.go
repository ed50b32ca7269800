package gateway_test

import (
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/wire"
)

// A client that loses its question at an error says so, on any route: CopilotKit's Node runtime does, before its pages.
func TestRefusalsAskAgainOnRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	question := w.post("ask", input("t", "r1", []string{"u1:Hi"})).interrupts()[0]
	unknown := input("t", "r1", []string{"u1:Hi"}, answerTo("int_of_nobody", "M"))
	if code := w.post("ask", unknown).code(); code != string(errcode.InterruptNotFound) {
		t.Errorf("code = %s, want interrupt_not_found", code)
	}
	asked := w.post("ask?refusals=ask", unknown)
	if v := asked.custom(wire.CustomRefused); v.Code == "" || v.Message == "" {
		t.Errorf("told %+v", v)
	}
	if again := asked.interrupts()[0]; again.ID != question.ID {
		t.Errorf("asked %s, want %s again", again.ID, question.ID)
	}
	if code := w.post("ask?refusals=error", unknown).code(); code == "" {
		t.Error("refusals=error asks again")
	}

	failing := w.post("fails-answer", input("f", "r1", []string{"u1:Hi"})).interrupts()[0]
	failed := w.post("fails-answer?refusals=ask", input("f", "r2", []string{"u1:Hi"}, answerTo(failing.ID, "M")))
	failed.custom(wire.CustomFailed)
	if again := failed.interrupts()[0]; again.ID != failing.ID {
		t.Errorf("asked %s, want %s again", again.ID, failing.ID)
	}
}
