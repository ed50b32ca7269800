// Package budget limits how many tokens of models runs, threads and principals may use. A call of a model that would
// begin when its budget is used up fails with the code budget_exceeded, before the model is asked:
//
//	b, err := budget.New(budget.Limits{Run: 20_000, Thread: 200_000})
//	if err != nil {
//		return err
//	}
//	agent = groupchat.WithHooks(agent, b.Hooks())
//
// With gateway.Options.Hooks it holds for the whole service. In team files it is the key budget of an agent. Usage is
// what models report of their calls. It is recorded with their replies: a run keeps its usage after a takeover. A call
// that has begun may go beyond the budget, and so may calls that begin at the same moment; the next one fails. A model
// that tells nothing of its usage uses nothing that could be counted. Budgets cost the same on long threads as on short
// ones. After the budget of a thread is used up, the thread can continue when the budget is raised; another thread has
// its own. That of a principal begins anew after its window.
package budget
