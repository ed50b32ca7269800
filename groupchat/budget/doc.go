// Package budget limits how many tokens of models runs, threads and principals may use. A call of a model that would begin when its
// budget is used up fails with the code budget_exceeded, before the model is asked:
//
//	b, err := budget.New(budget.Limits{Run: 20_000, Thread: 200_000})
//	if err != nil {
//		return err
//	}
//	agent = groupchat.WithHooks(agent, b.Hooks())
//
// With gateway.Options.Hooks it holds for the whole service. In team files it is the key budget of an agent.
//
// What was used is what models tell of their calls, which is recorded with their replies: a run that another replica takes over has used
// what it had used before. A call that has begun may go beyond the budget, and so may calls that begin at the same moment; the next one
// fails. A model that tells nothing of its usage uses nothing that could be counted. Budgets cost the same on long threads as on short ones.
//
// Whoever has used up the budget of a thread can go on when it is raised, and at once in another thread; that of a principal begins anew
// when its window is over.
package budget
