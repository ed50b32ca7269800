package redisstore_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/state/redisstore"
)

// An address can be checked before anything is opened. Errors never quote it, for it may hold a password.
func ExampleCheckURL() {
	for _, address := range []string{
		"redis://:secret@localhost:6379/0",
		"redis+cluster://node-a:6379,node-b:6379",
		"redis+sentinel://:secret@sentinel-a:26379/mymaster",
		"http://:secret@localhost",
	} {
		fmt.Println(redisstore.CheckURL(address))
	}
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// redisstore: not the URL of a Redis: the scheme must be redis, redis+cluster or redis+sentinel, or one of these with rediss
}
