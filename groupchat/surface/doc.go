// Package surface lets agents show surfaces of A2UI: user interfaces that a model describes and a page draws with components of its own.
//
// [Hooks] make activities of what an agent's tools do, as CopilotKit's A2UI middleware does where it stands between: of the calls of the
// tool that renders, while their arguments come, and of results that hold operations, whosever tools they are. [Render] is that tool, for a
// model that designs surfaces itself; [Guide] tells it how. [Design] is a tool that has another call of a model design the surface, so that
// the one that speaks needs to know nothing of components.
//
// What cannot be drawn is not shown: the model is told why and tries again, a limited number of times, and people are told when it does not
// succeed. Everything is an event of the turn, so it is stored, passes guardrails, and is taken over like any.
package surface
