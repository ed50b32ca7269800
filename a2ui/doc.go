// Package a2ui has what the gateway knows of A2UI, the protocol by which agents describe user interfaces that pages
// draw with their own components: the operations of version 0.9, the rules for a set of components before it is drawn,
// and the activities of AG-UI that carry surfaces.
//
// CopilotKit's pages draw an activity of type [ActivityType]. Behind CopilotKit's Node runtime its A2UI middleware
// makes these activities of what agents do; a [Watcher] makes the same ones where there is no such runtime: of the
// calls of a tool that renders, while their arguments come, and of results that hold operations.
//
// A design is judged before it is drawn, by [Design.Validate]: a page fails while it draws a component that is missing
// or contains itself. Problems are written for models, which correct the surface. Texts of surfaces are data: nothing
// here interprets them, and pages show them as text.
package a2ui
