// Package edge judges requests by how they came, before anybody looks at what they ask for: from which address, for which host, and sent
// by a page of which origin. Nothing in it knows a thread, a run or a principal.
package edge
