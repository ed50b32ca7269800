package gateway_test

import (
	"context"
	"errors"

	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
)

// These agents come to a bad end.

// isDeaf ignores its context, and tries to continue when released.
func isDeaf(t *groupchat.Turn, gate chan struct{}) error {
	if err := await(context.Background(), t, gate); err != nil {
		return err
	}
	if err := t.State().Set("/late", true); err == nil {
		return errors.New("a state could be changed after the end")
	}
	if err := groupchat.SayOnce(t, "late", "Too late."); !errors.Is(err, run.ErrRunEnded) {
		return errors.New("something could be said after the end")
	}
	t.Messages()
	return nil
}

// begins sends one whole message and half of another, in a step, with a call that stays open.
func begins(t *groupchat.Turn) error {
	if err := groupchat.SayOnce(t, "first", "A whole message."); err != nil {
		return err
	}
	if err := t.State().Set("/half", "done"); err != nil {
		return err
	}
	if err := streamCall(t, "left-1"); err != nil {
		return err
	}
	_, err := t.Text().WriteString("Half a")
	return err
}

func fails(_ context.Context, t *groupchat.Turn) error {
	if err := begins(t); err != nil {
		return err
	}
	m, _ := t.LastUser()
	switch m.Content.Text() {
	case "coded":
		return &errcode.Error{Code: "out_of_stock", Text: "Sold out, sorry.", Err: errors.New("secret: shelf 7")}
	case "works":
		return nil
	default:
		return errors.New("secret: database password")
	}
}

func panics(_ context.Context, t *groupchat.Turn) error {
	if err := begins(t); err != nil {
		return err
	}
	panic("secret: a stack")
}

func failsAfterAnswer(_ context.Context, t *groupchat.Turn) error {
	if _, err := t.Ask(sizes()); err != nil {
		return err
	}
	if err := begins(t); err != nil {
		return err
	}
	return errors.New("secret")
}

func saysMuch(_ context.Context, t *groupchat.Turn) error {
	_, err := t.Text().WriteString(string(make([]byte, 4096)))
	return err
}

func keepsMuch(_ context.Context, t *groupchat.Turn) error {
	return t.State().Set("/much", string(make([]byte, 4096)))
}
