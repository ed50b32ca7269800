// Package limit counts what each of many owners uses, a principal or the address of a client, and says when one has had
// its share. Its tables are bounded in number, because clients choose their owners' names or at least how many there
// are. It knows nothing of requests and runs.
package limit
