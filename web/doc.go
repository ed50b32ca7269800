// Package web is the gateway's page, embedded.
//
//	g, err := gateway.New(gateway.Options{Agents: agents, Page: web.Handler()})
//
// The page is a React application in this directory: src is built by Vite into dist (`make build`, or `npm ci && npm
// run build` here), and dist is embedded when Go builds. A checkout without that build still compiles; its page
// explains how to build the real one.
//
// The build leaves text files in their compressed forms only. [Handler] sends the form that the client accepts, and
// unpacks the gzip form for a client that accepts neither. Files under assets are named by a hash of their content and
// may be cached without limit; index.html is revalidated each time, and answered 304 while it is the same.
package web
