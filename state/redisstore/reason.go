package redisstore

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// A Reason says why a Redis cannot be used.
type Reason string

// The reasons. The zero value is none.
const (
	ReasonURL         Reason = "url"          // the address cannot be read
	ReasonUnreachable Reason = "unreachable"  // no answer in time
	ReasonCredentials Reason = "credentials"  // user or password are wrong, or missing
	ReasonPermission  Reason = "permission"   // the user lacks the right to a command, a key or a channel
	ReasonReadOnly    Reason = "read_only"    // it is a replica
	ReasonFull        Reason = "full"         // it is full
	ReasonLoading     Reason = "loading"      // it is loading, or has lost its master: it may pass
	ReasonReplicas    Reason = "replicas"     // it has fewer replicas than its writes need
	ReasonClusterDown Reason = "cluster_down" // a part of the cluster is down
	ReasonCluster     Reason = "cluster"      // it is a node of a cluster, and the address names a single Redis
	ReasonConnections Reason = "connections"  // it has no free connections
	ReasonLater       Reason = "later"        // a later version of the gateway uses it
	ReasonOlder       Reason = "older"        // an earlier version of the gateway uses it
	ReasonForeign     Reason = "foreign"      // another program uses the gateway's keys
	ReasonOther       Reason = "other"        // anything else
)

// ReasonOf classifies an error of this package. It returns an empty reason for nil.
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
	case errors.Is(err, errNoSignal):
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

// moved reports whether a cluster node answered that another one has the key. Clients of clusters then ask that one.
func moved(err error) bool {
	_, ok := redis.IsMovedError(err)
	return ok
}
