// Package limit counts the usage of many owners, such as principals or client addresses, and enforces limits per owner.
// Its tables are bounded, because clients can choose the names of owners, or at least their number.
package limit
