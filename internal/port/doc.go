// Package port reserves TCP ports for programs that cannot choose their own.
//
// A port that is found free and then given back can be taken by another process before the program listens on it, or
// while the program is restarted. A [Reservation] keeps the port: its socket is bound to the port, does not listen, and
// stays open while the program runs. The socket has SO_REUSEADDR. Linux lets another socket with SO_REUSEADDR bind to
// the same port as long as the first one does not listen, and redis-server, Node, Caddy and every server in Go set that
// option. Linux gives the port to no socket that binds to port 0, and to no outgoing connection. Without a server
// behind it, a connection to the port is refused.
//
// The package is for tests and for programs that measure or test the gateway. A program that can choose its own port
// and report it needs no reservation.
package port
