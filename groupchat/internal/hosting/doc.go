// Package hosting is what package groupchat, which defines agents and executes them, shares with groupchat/host, which lets a
// service execute them. Authors of agents need none of it, so groupchat exports none of it: groupchat fills in [Execute] and
// [ForwardsOf] when it is initialised, and host calls them.
package hosting
