package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/model"
)

// Options say how many replies are kept, and for how long. A zero field means the default beside it; a negative one is
// an error.
type Options struct {
	Entries int           // replies; 1000
	Bytes   int64         // of all replies together, as JSON; 16 MiB. One may have a quarter of it
	TTL     time.Duration // how long a reply is given again; 10 minutes
	// Shared gives a reply to every principal that asks the same.
	Shared bool
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Defaults of [Options].
const (
	defaultEntries = 1000
	defaultBytes   = 16 << 20
	defaultTTL     = 10 * time.Minute
)

// A Model keeps the replies of another model, and has its optional methods. It is safe for concurrent use.
type Model struct {
	model  model.Model
	shared bool
	now    func() time.Time
	kept   *shelf
}

var (
	_ model.Model    = (*Model)(nil)
	_ model.Reasoner = (*Model)(nil)
	_ model.Named    = (*Model)(nil)
	_ model.Checker  = (*Model)(nil)
)

// New returns m with its replies kept.
func New(m model.Model, o Options) (*Model, error) {
	if m == nil {
		return nil, errors.New("cache: no model")
	}
	if o.Entries < 0 || o.Bytes < 0 || o.TTL < 0 {
		return nil, errors.New("cache: a limit is negative")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	kept := newShelf(cmp.Or(o.Entries, defaultEntries), cmp.Or(o.Bytes, defaultBytes), cmp.Or(o.TTL, defaultTTL))
	return &Model{model: m, shared: o.Shared, now: o.Now, kept: kept}, nil
}

// Stream hands on the reply that was kept, or asks the model and keeps what it says.
func (m *Model) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	asker, known := model.AskerOf(ctx)
	if !m.shared && !known {
		return m.model.Stream(ctx, r, on)
	}
	if m.shared {
		asker.Principal = ""
	}
	key, err := m.key(asker.Principal, r)
	if err != nil { // what cannot be compared is not kept
		return m.model.Stream(ctx, r, on)
	}
	if !asker.Again {
		if reply, ok := m.kept.get(key, m.now()); ok {
			if ctx.Err() != nil {
				return model.Reply{}, context.Cause(ctx)
			}
			return reply, say(reply, on)
		}
	}
	reply, err := m.model.Stream(ctx, r, on)
	if err == nil && complete(reply) {
		m.kept.put(key, reply, m.now())
	}
	return reply, err
}

// complete reports whether a reply is worth keeping.
func complete(r model.Reply) bool {
	return !r.Truncated() && r.Refusal == "" && (r.Text != "" || len(r.Calls) > 0)
}

func say(r model.Reply, on model.Deltas) error {
	if r.Reasoning != "" && on.Reasoning != nil {
		if err := on.Reasoning(r.Reasoning); err != nil {
			return err
		}
	}
	if r.Text != "" && on.Text != nil {
		if err := on.Text(r.Text); err != nil {
			return err
		}
	}
	for i, c := range r.Calls {
		if on.Call == nil {
			break
		}
		if err := on.Call(i, c.Name, c.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// Unwrap is the model that is asked.
func (m *Model) Unwrap() model.Model { return m.model }

// Identity is that of the model that is asked.
func (m *Model) Identity() (provider, name string) { return model.Identify(m.model) }

// Reasons reports whether the model that is asked does.
func (m *Model) Reasons() bool { return model.Reasons(m.model) }

// Check is that of the model that is asked; one that cannot tell is good.
func (m *Model) Check(ctx context.Context) error {
	if c, ok := m.model.(model.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}

// Validate is that of the model that is asked; one that cannot tell is good.
func (m *Model) Validate() error {
	if v, ok := m.model.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// String names the model that is asked.
func (m *Model) String() string { return fmt.Sprintf("%v, kept", m.model) }
