package redisstore

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// ErrURL is returned by [Open] for an address that it cannot read. The error never quotes the address, which may have a
// password.
var ErrURL = errors.New("redisstore: not the URL of a Redis")

// CheckURL reports whether [Open] can read the address. It does not connect.
func CheckURL(address string) error {
	_, err := parseURL(address)
	return err
}

// parseURL reads the address of a Redis:
//
//	redis://[user:password@]host[:port][/db]
//	redis+cluster://[user:password@]host[:port][,host[:port]…]
//	redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[/db]
//
// With rediss instead of redis the connections are encrypted. A cluster can also be spelled redis://…?cluster=true.
// The sentinels' own credentials are ?sentinel_username= and ?sentinel_password=.
func parseURL(raw string) (*redis.UniversalOptions, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return nil, fmt.Errorf("%w: it has no scheme", ErrURL)
	}
	base, kind, _ := strings.Cut(scheme, "+")
	known := kind == "" || kind == "cluster" || kind == "sentinel"
	if base != "redis" && base != "rediss" || !known || strings.HasSuffix(scheme, "+") {
		return nil, fmt.Errorf(
			"%w: the scheme must be redis, redis+cluster or redis+sentinel, or one of these with rediss", ErrURL)
	}
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	o := &redis.UniversalOptions{}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		if err := credentials(o, authority[:at]); err != nil {
			return nil, err
		}
		authority = authority[at+1:]
	}
	if base == "rediss" {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if err := parameters(o, query, kind); err != nil {
		return nil, err
	}
	if o.IsClusterMode {
		kind = "cluster"
	}
	if err := hosts(o, authority, kind); err != nil {
		return nil, err
	}
	return o, place(o, path, kind)
}

// credentials reads user:password.
func credentials(o *redis.UniversalOptions, text string) error {
	user, password, _ := strings.Cut(text, ":")
	var err, err2 error
	o.Username, err = url.PathUnescape(user)
	o.Password, err2 = url.PathUnescape(password)
	if err != nil || err2 != nil {
		return fmt.Errorf("%w: the credentials are not percent-encoded", ErrURL)
	}
	return nil
}

func parameters(o *redis.UniversalOptions, query, kind string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("%w: the query is malformed", ErrURL)
	}
	o.IsClusterMode = kind == "cluster"
	for name, value := range values {
		switch {
		case name == "cluster" && kind == "" && value[0] == "true":
			o.IsClusterMode = true
		case name == "sentinel_username" && kind == "sentinel":
			o.SentinelUsername = value[0]
		case name == "sentinel_password" && kind == "sentinel":
			o.SentinelPassword = value[0]
		default:
			return fmt.Errorf("%w: it has a parameter that is unknown, or no good here", ErrURL)
		}
	}
	return nil
}

// hosts reads the list of addresses; the port is optional.
func hosts(o *redis.UniversalOptions, list, kind string) error {
	port := "6379"
	if kind == "sentinel" {
		port = "26379"
	}
	for host := range strings.SplitSeq(list, ",") {
		// An address that ends in a bracket is a bare IPv6 one.
		if !strings.Contains(host, ":") || strings.HasSuffix(host, "]") {
			host += ":" + port
		}
		name, number, err := net.SplitHostPort(host)
		if err != nil || name == "" {
			return fmt.Errorf("%w: it names no host", ErrURL)
		}
		if n, err := strconv.ParseUint(number, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("%w: a port is not a number from 1 to 65535", ErrURL)
		}
		o.Addrs = append(o.Addrs, net.JoinHostPort(name, number))
	}
	if kind == "" && len(o.Addrs) > 1 {
		return fmt.Errorf("%w: several hosts are a redis+cluster or a redis+sentinel", ErrURL)
	}
	return nil
}

// place reads the part after the hosts: the sentinels' name of the master, or the number of the database.
func place(o *redis.UniversalOptions, path, kind string) error {
	if kind == "sentinel" {
		var err error
		master, rest, _ := strings.Cut(path, "/")
		if o.MasterName, err = url.PathUnescape(master); err != nil || o.MasterName == "" {
			return fmt.Errorf("%w: behind the sentinels comes the master's name", ErrURL)
		}
		path = rest
	}
	if path == "" {
		return nil
	}
	db, err := strconv.ParseUint(path, 10, 31)
	if err != nil {
		return fmt.Errorf("%w: the database is not a number", ErrURL)
	}
	if kind == "cluster" && db != 0 {
		return fmt.Errorf("%w: a cluster has one database", ErrURL)
	}
	o.DB = int(db)
	return nil
}
