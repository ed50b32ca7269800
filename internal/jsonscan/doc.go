// Package jsonscan reads and writes JSON without reflection, where a table of fields or a decoded value costs too much.
//
//	scanner.go  a Scanner moves over JSON token by token and checks it
//	members.go  members and elements of JSON that is known to be valid
//	write.go    strings, and values without HTML escapes
package jsonscan
