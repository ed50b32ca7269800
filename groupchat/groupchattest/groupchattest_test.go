package groupchattest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

var _ = flag.Bool("update", false, "rewrite the conversations in testdata")

// A failing T keeps the messages for a test.
type failing struct {
	told  []string
	after []func()
}

func (*failing) Helper() {}

func (f *failing) Cleanup(do func()) { f.after = append(f.after, do) }

func (f *failing) Errorf(format string, args ...any) {
	f.told = append(f.told, fmt.Sprintf(format, args...))
}

func (f *failing) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	panic(f)
}

// failures returns the messages for a test that calls do.
func failures(do func(t *failing)) (told string) {
	f := &failing{}
	defer func() {
		if v := recover(); v != nil && v != any(f) {
			panic(v)
		}
		told = strings.Join(f.told, "\n")
	}()
	do(f)
	for _, end := range f.after {
		end()
	}
	return ""
}

func replies() []modeltest.Reply {
	return []modeltest.Reply{
		modeltest.Calls("refund", `{"euros":20}`), modeltest.Text("You have it back."),
		modeltest.Calls("refund", `{"euros":5}`), modeltest.Text("I may not."),
	}
}

func TestGoldenRefund(t *testing.T) {
	t.Parallel()
	agent := support(modeltest.New(t, replies()...), paid)
	groupchattest.Golden(t, "testdata/refund.txtar", agent, groupchattest.Options{})
}

func TestGoldenShowsWhatDiffers(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/refund.txtar")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "refund.txtar")
	if err := os.WriteFile(file, []byte(strings.Replace(string(raw), "You have it back.", "You get nothing.", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	told := failures(func(f *failing) {
		groupchattest.Golden(f, file, support(modeltest.New(f, replies()...), paid), groupchattest.Options{})
	})
	for _, want := range []string{"refund.txtar: the conversation differs", "- agent: You get nothing.", "+ agent: You have it back."} {
		if !strings.Contains(told, want) {
			t.Errorf("the test is told\n%s\nwithout %q", told, want)
		}
	}
	if strings.Contains(told, "socks") {
		t.Errorf("it is told of what is the same, too:\n%s", told)
	}
}

func TestModelFailsTheTest(t *testing.T) {
	t.Parallel()
	told := failures(func(f *failing) {
		m := modeltest.New(f, modeltest.Text("Hello."), modeltest.Text("Unused."), modeltest.Text("As often as you like.").Always())
		run := groupchattest.NewThread(f, &groupchat.LLM{Model: m}, groupchattest.Options{}).Say("Hi")
		if run.Text != "Hello." || run.Err != nil {
			t.Errorf("it says %q, %v", run.Text, run.Err)
		}
	})
	if told != `nobody asked for the reply "Unused."` {
		t.Errorf("the test is told %q", told)
	}
	told = failures(func(f *failing) {
		run := groupchattest.NewThread(f, &groupchat.LLM{Model: modeltest.New(f)}, groupchattest.Options{}).Say("Hi")
		if run.Code() != errcode.ModelRequest {
			t.Errorf("the run ends with %v", run.Err)
		}
	})
	if told != `the model has no reply for agent, who says at last "Hi"` {
		t.Errorf("the test is told %q", told)
	}
}

func TestModelSpeaksLikeOne(t *testing.T) {
	t.Parallel()
	n := int64(4)
	m := modeltest.New(t,
		modeltest.Reply{Reasoning: "They greet me.", Text: "Good day to you.", Usage: agui.TokenUsage{Provider: "p", InputTokens: &n}},
		modeltest.Fails(errcode.ModelContentFilter))
	th := groupchattest.NewThread(t, &groupchat.LLM{Model: m}, groupchattest.Options{})
	run := th.Say("Hi")
	if got := run.Shape(); got != "Good  day  to  you." {
		t.Errorf("it streams %q", got)
	}
	if len(run.Usage) != 1 || *run.Usage[0].InputTokens != 4 {
		t.Errorf("it uses %+v", run.Usage)
	}
	if !strings.Contains(groupchattest.Line(run.Events[2]), "REASONING") {
		t.Errorf("it begins with %s", groupchattest.Line(run.Events[2]))
	}
	if run = th.Say("Again"); run.Code() != errcode.ModelContentFilter || !strings.HasSuffix(groupchattest.Describe(run.Events), "fails: model_content_filter\n") {
		t.Errorf("it ends with %v:\n%s", run.Err, groupchattest.Describe(run.Events))
	}
}

func TestThreadFindsWhatAPauseRepeats(t *testing.T) {
	t.Parallel()
	n := atomic.Int64{}
	for name, work := range map[string]func(*groupchat.Turn) error{
		"the run sends TEXT_MESSAGE_START": func(turn *groupchat.Turn) error {
			text := turn.Text()
			_, err := text.WriteString("Let me see.")
			return errors.Join(err, text.Close())
		},
		"the run has other state": func(turn *groupchat.Turn) error { return turn.State().Set("/n", n.Add(1)) },
		"the run records": func(turn *groupchat.Turn) error {
			_, err := groupchat.Once(turn, fmt.Sprint("key", n.Add(1)), func() (int, error) { return 1, nil })
			return err
		},
	} {
		agent := groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
			if err := work(turn); err != nil {
				return err
			}
			_, err := turn.Ask(groupchat.Question{Key: "q", Message: "Well?"})
			return err
		})
		told := failures(func(f *failing) { groupchattest.NewThread(f, agent, groupchattest.Options{}).Say("Hi") })
		if !strings.Contains(told, "entered again without an answer, "+name) {
			t.Errorf("the test is told %q, want %q in it", told, name)
		}
		told = failures(func(f *failing) { groupchattest.NewThread(f, agent, groupchattest.Options{NoReplay: true}).Say("Hi") })
		if told != "" {
			t.Errorf("without a replay the test is told %q", told)
		}
	}
	told := failures(func(f *failing) { groupchattest.NewThread(f, &groupchat.Chat{}, groupchattest.Options{}) })
	if !strings.Contains(told, "not valid") {
		t.Errorf("of a chat without anybody the test is told %q", told)
	}
}

func TestEachTakeover(t *testing.T) {
	t.Parallel()
	payments := map[*groupchattest.Thread]*atomic.Int64{}
	build := func(t modeltest.T) *groupchattest.Thread {
		n := &atomic.Int64{}
		pay := func(context.Context, groupchat.ToolCall) (tools.Result, error) {
			n.Add(1)
			return tools.Text("paid"), nil
		}
		th := groupchattest.NewThread(t, support(modeltest.New(t, replies()[:2]...), pay), groupchattest.Options{})
		payments[th] = n
		return th
	}
	places := groupchattest.EachTakeover(t, build, func(th *groupchattest.Thread) {
		th.Say("The shoes do not fit.")
		if run := th.Approve("refund"); run.Text != "You have it back." || payments[th].Load() != 1 {
			t.Errorf("it says %q after %d payments", run.Text, payments[th].Load())
		}
	})
	if places < 4 || len(payments) != places+1 {
		t.Errorf("%d places, %d threads", places, len(payments))
	}
	said := 0
	told := failures(func(f *failing) {
		groupchattest.EachTakeover(f, func(t modeltest.T) *groupchattest.Thread {
			forgetful := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
				said++
				return model.Reply{Text: fmt.Sprint("Number ", said)}, nil
			})
			return groupchattest.NewThread(t, &groupchat.LLM{Model: forgetful}, groupchattest.Options{})
		}, func(th *groupchattest.Thread) {
			if run := th.Say("Hi"); run.Text != "Number 1" {
				f.Errorf("it says %q", run.Text)
			}
		})
	})
	if !strings.Contains(told, `it says "Number 2"`) {
		t.Errorf("the test is told %q", told)
	}
}

func TestUpgradeGoesOnWithAnotherAgent(t *testing.T) {
	t.Parallel()
	asks := func(says string) groupchat.Agent {
		return groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
			if _, err := turn.Ask(groupchat.Question{Key: "q", Message: "Well?"}); err != nil {
				return err
			}
			return groupchat.SayOnce(turn, "said", says)
		})
	}
	th := groupchattest.NewThread(t, asks("old"), groupchattest.Options{})
	th.Say("Hi")
	th.Upgrade(asks("new"))
	if run := th.Answer(map[string]any{"q": true}); run.Text != "new" {
		t.Errorf("it says %q, %v", run.Text, run.Err)
	}
}
