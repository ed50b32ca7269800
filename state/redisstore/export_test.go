package redisstore

import "time"

// Patient returns options with which an exchange may take as long as it needs on a machine that has much else to do. Tests
// that are not about a Redis which hangs use them: they would show how fast the machine is.
func Patient(o Options) Options {
	o.timeout = time.Minute
	return o
}
