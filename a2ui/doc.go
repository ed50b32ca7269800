// Package a2ui has what the gateway knows of A2UI, the protocol by which agents describe user interfaces that pages draw with components of
// their own: the operations of version 0.9, what a set of components has to be before it is drawn, and the activities of AG-UI that carry
// surfaces.
//
// CopilotKit's pages draw an activity of type [ActivityType]. Behind CopilotKit's Node runtime its A2UI middleware makes these activities of
// what agents do; a [Watcher] makes the same ones where there is no such runtime: of the calls of a tool that renders, while their arguments
// come, and of results that hold operations.
//
// A design is judged before it is drawn, by [Design.Validate]: a page that is given a component that is not there, or one that contains itself,
// fails while it draws. What is wrong is told in words that a model can mend it by.
//
// What a surface says stays data: nothing here interprets texts, and pages show them as text.
package a2ui
