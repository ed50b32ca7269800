// Package egress makes the HTTP clients by which the gateway and its agents reach other servers: models, remote agents,
// MCP servers, the receiver of the webhook, issuers of tokens. Their URLs are the operator's. What a name in them
// resolves to is not, nor where a server redirects to, so every client refuses two things:
//
//   - a connection to an address that only this machine's hosting answers: link-local ones, and those where clouds hand
//     out credentials, see [Refused]. It is refused when the connection is made, after the name was resolved, so a name
//     that is resolved to something else the second time is no way around it. [New] takes the addresses that an
//     operator allows;
//   - a redirect to another host. Most callers follow none at all.
//
// Loopback and private addresses are allowed: models and agents of one's own network are the usual case. In URLs of
// files, which clients and other servers write, [CheckFileURL] refuses them.
//
// With a proxy (HTTPS_PROXY and the like) the proxy resolves names and makes the connections. Then the address of the
// proxy is checked, and an address in the URL itself, but not the address of a name.
package egress
