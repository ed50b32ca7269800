package teamtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/model"
)

// maxRecorded limits the replies of one file.
const maxRecorded = 1000

// A recording is a file with a model's replies, without the requests.
type recording struct {
	Version int             `json:"version"`
	Replies []recordedReply `json:"replies"`
}

type recordedReply struct {
	For       string           `json:"for,omitempty"`
	Text      string           `json:"text,omitempty"`
	Reasoning string           `json:"reasoning,omitempty"`
	Refusal   string           `json:"refusal,omitempty"`
	Calls     []model.Call     `json:"calls,omitempty"`
	Finish    string           `json:"finish,omitempty"`
	Usage     *agui.TokenUsage `json:"usage,omitempty"`
	Error     errcode.Code     `json:"error,omitempty"`
}

// readRecording reads the replies of a file.
func readRecording(file string) ([]modeltest.Reply, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there; `gateway test -record` asks the real model and writes it", file)
	case err != nil:
		return nil, err
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than 1 MiB", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r recording
	if err := json.Unmarshal(data, &r); err != nil || r.Version != 1 {
		return nil, fmt.Errorf("%s is no recording that this version reads; record it again", file)
	}
	replies := make([]modeltest.Reply, len(r.Replies))
	for i, one := range r.Replies {
		replies[i] = modeltest.Reply{
			For: one.For, Text: one.Text, Reasoning: one.Reasoning, Refusal: one.Refusal, Calls: one.Calls,
			Finish: one.Finish, Error: one.Error,
		}
		if one.Usage != nil {
			replies[i].Usage = *one.Usage
		}
	}
	return replies, nil
}

// A recorder asks a real model, and keeps its replies.
type recorder struct {
	model.Model
	file string

	mu      sync.Mutex
	replies []recordedReply
}

// Stream asks the model.
func (r *recorder) Stream(ctx context.Context, q model.Request, on model.Deltas) (model.Reply, error) {
	reply, err := r.Model.Stream(ctx, q, on)
	if err != nil && ctx.Err() != nil {
		return reply, err
	}
	one := recordedReply{
		For: modeltest.Speaker(ctx), Text: reply.Text, Reasoning: reply.Reasoning,
		Refusal: reply.Refusal, Finish: reply.Finish,
	}
	for _, c := range reply.Calls {
		one.Calls = append(one.Calls, model.Call{Name: c.Name, Arguments: c.Arguments})
	}
	if reply.Usage != (agui.TokenUsage{}) {
		one.Usage = &reply.Usage
	}
	if err != nil {
		one.Error = errcode.Of(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.replies) < maxRecorded {
		r.replies = append(r.replies, one)
	}
	return reply, err
}

// write writes the file.
func (r *recorder) write() error {
	r.mu.Lock()
	replies := r.replies
	r.mu.Unlock()
	if len(replies) >= maxRecorded {
		return fmt.Errorf("%s: more than %d replies; record a shorter conversation", r.file, maxRecorded-1)
	}
	data, err := json.MarshalIndent(recording{Version: 1, Replies: replies}, "", "  ")
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return fmt.Errorf("%s: the replies take more than 1 MiB; record a shorter conversation", r.file)
	}
	return os.WriteFile(r.file, append(data, '\n'), 0o644)
}
