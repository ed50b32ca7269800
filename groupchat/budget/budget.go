package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/bounded"
	"github.com/agui-gateway/gateway/model"
)

// Limits are how many tokens may be used, of those that models read and write together. 0 is no limit.
type Limits struct {
	// Run is for one run: from a message, or an answer, to the end or the next question.
	Run int64
	// Thread is for all runs of a thread together.
	Thread int64
	// Principal is for what a principal uses under these hooks within Window, on this process. It is kept in memory:
	// for all agents of a gateway and without hooks there is Limits.TokensPerPrincipal in package gateway.
	Principal int64
	// Window is how long Principal holds, from the first tokens that the principal uses, and then anew; 0 means 24
	// hours.
	Window time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Ledger keeps what principals have used, under Name, for budgets that come after this one, as when a file is read
	// again; nil keeps it in this budget.
	Ledger *Ledger
	Name   string
}

// A Ledger is what principals have used, by the names of budgets. The zero value is ready, and safe for concurrent use.
type Ledger struct {
	mu sync.Mutex
	by map[string]*bounded.Spending
}

// maxPrincipals is of how many principals a budget knows what they have used. Those that have used least are forgotten
// first.
const maxPrincipals = 65_536

func (l *Ledger) of(name string) *bounded.Spending {
	if l == nil {
		return bounded.NewSpending(maxPrincipals)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by[name] == nil {
		if l.by == nil {
			l.by = map[string]*bounded.Spending{}
		}
		l.by[name] = bounded.NewSpending(maxPrincipals)
	}
	return l.by[name]
}

// defaultWindow is the default of [Limits.Window].
const defaultWindow = 24 * time.Hour

// A Budget knows what principals have used. It is safe for concurrent use.
type Budget struct {
	limits     Limits
	principals *bounded.Spending
}

// New checks the limits. A negative one is an error, because it could be meant as none or as no limit.
func New(l Limits) (*Budget, error) {
	if l.Run < 0 || l.Thread < 0 || l.Principal < 0 || l.Window < 0 {
		return nil, errors.New("budget: a limit is negative")
	}
	if l.Window == 0 {
		l.Window = defaultWindow
	}
	if l.Now == nil {
		l.Now = time.Now
	}
	return &Budget{limits: l, principals: l.Ledger.of(l.Name)}, nil
}

// Hooks are what holds agents to the budget. All that are made of one Budget count together.
func (b *Budget) Hooks() groupchat.Hooks {
	return groupchat.Hooks{Name: "budget", Model: b.call}
}

// call lets a call of a model pass if nothing is used up.
func (b *Budget) call(ctx context.Context, c groupchat.ModelCall, next groupchat.ModelFunc) (model.Reply, error) {
	if c.Turn == nil { // there is no budget outside of a run
		return next(ctx, c)
	}
	if err := b.check(c.Turn); err != nil {
		return model.Reply{}, err
	}
	reply, err := next(ctx, c)
	if b.limits.Principal > 0 {
		used := agui.SumTokens(append([]agui.TokenUsage{reply.Usage}, reply.Earlier...))
		b.principals.Add(c.Turn.Principal().ID, used, b.limits.Now(), b.limits.Window)
	}
	return reply, err
}

// check returns an error if something is used up.
func (b *Budget) check(t *groupchat.Turn) error {
	if limit := b.limits.Run; limit > 0 {
		if used := agui.SumTokens(t.Usage()); used >= limit {
			return exceeded("run", "This run has used the tokens that it may use.", used, limit)
		}
	}
	if limit := b.limits.Thread; limit > 0 {
		if used := agui.SumTokens(t.ThreadUsage()); used >= limit {
			return exceeded("thread",
				"This conversation has used the tokens that it may use; begin a new one, or ask the operator for more.",
				used, limit)
		}
	}
	if limit := b.limits.Principal; limit > 0 {
		if used, _ := b.principals.Spent(t.Principal().ID, b.limits.Now()); used >= limit {
			return exceeded("principal", "You have used the tokens that you may use for now; try again later.", used,
				limit)
		}
	}
	return nil
}

// exceeded is the error of a budget that is used up, with a sentence for clients.
func exceeded(whose, text string, used, limit int64) error {
	return &errcode.Error{Code: errcode.BudgetExceeded, Text: text,
		Err: fmt.Errorf("budget: the %s has used %d tokens of %d", whose, used, limit)}
}
