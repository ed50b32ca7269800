package redisstore

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// A Reason is why a Redis does not do what a store asks of it.
type Reason string

// The reasons. The zero value is none.
const (
	ReasonURL         Reason = "url"          // the address cannot be read
	ReasonUnreachable Reason = "unreachable"  // nobody answers, or not in time
	ReasonCredentials Reason = "credentials"  // user or password are wrong, or missing
	ReasonPermission  Reason = "permission"   // the user may not run a command, or use a key or a channel
	ReasonReadOnly    Reason = "read_only"    // it is a replica
	ReasonFull        Reason = "full"         // it has as much as it may
	ReasonLoading     Reason = "loading"      // it reads its files, or has lost its master: it may pass
	ReasonReplicas    Reason = "replicas"     // it has fewer replicas than it needs for writes
	ReasonClusterDown Reason = "cluster_down" // a part of the cluster is away
	ReasonCluster     Reason = "cluster"      // it is a node of a cluster, and the address names a single Redis
	ReasonConnections Reason = "connections"  // it has as many connections as it may
	ReasonLater       Reason = "later"        // a later version of the gateway uses it
	ReasonOlder       Reason = "older"        // an earlier version of the gateway uses it
	ReasonForeign     Reason = "foreign"      // another program has something under the gateway's keys
	ReasonOther       Reason = "other"        // anything else
)

// ReasonOf says what an error of this package means. It is empty for nil.
func ReasonOf(err error) Reason {
	switch answer, answered := errors.AsType[redis.Error](err); {
	case err == nil:
		return ""
	case errors.Is(err, ErrURL):
		return ReasonURL
	case errors.Is(err, state.ErrLater):
		return ReasonLater
	case errors.Is(err, state.ErrOlder):
		return ReasonOlder
	case errors.Is(err, errForeign):
		return ReasonForeign
	case errors.Is(err, errNotTold):
		return ReasonPermission
	case redis.IsAuthError(err):
		return ReasonCredentials
	case redis.IsPermissionError(err):
		return ReasonPermission
	case redis.IsReadOnlyError(err):
		return ReasonReadOnly
	case redis.IsOOMError(err):
		return ReasonFull
	case redis.IsNoReplicasError(err):
		return ReasonReplicas
	case moved(err):
		return ReasonCluster
	case redis.IsClusterDownError(err):
		return ReasonClusterDown
	case redis.IsLoadingError(err), redis.IsMasterDownError(err):
		return ReasonLoading
	case answered && redis.IsMaxClientsError(answer):
		return ReasonConnections
	case !answered && !errors.Is(err, context.Canceled):
		return ReasonUnreachable
	default:
		return ReasonOther
	}
}

// moved reports whether a node of a cluster has said that another has the key. A client of clusters asks that one instead.
func moved(err error) bool {
	_, ok := redis.IsMovedError(err)
	return ok
}
