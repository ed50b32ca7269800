// Package web is the gateway's page, embedded.
//
//	g, err := gateway.New(gateway.Options{Agents: agents, Page: web.Handler()})
//
// The page is a React application in this directory: src is built by Vite into dist (`make build`, or `npm ci && npm run
// build` here), and dist is embedded when Go builds. A checkout without that build still compiles; its page says in a few words how
// to come by the real one.
//
// The build leaves text files in their compressed forms only. [Handler] sends what the client takes, and unpacks the
// gzip form for the rare one that takes neither. Everything under assets is named by its content and may be kept forever;
// index.html is asked for every time, and answered 304 while it is the same.
package web
