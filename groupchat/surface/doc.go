// Package surface lets agents show surfaces of A2UI: user interfaces that a model describes and a page draws with its
// components.
//
// [Hooks] make activities of what an agent's tools do, as CopilotKit's A2UI middleware does where it stands between: of
// the calls of the tool that renders, while their arguments come, and of results that hold operations, whosever tools
// they are. [Render] is that tool, for a model that designs surfaces itself; [Guide] tells it how. [Design] is a tool
// that has another call of a model design the surface, so that the one that speaks needs to know nothing of components.
// Invalid surfaces are not shown: the model gets the problems and tries again, a limited number of times, and people
// see the final failure. Everything is an event of the turn, so it is stored, passes guardrails, and is taken over like
// any.
package surface
