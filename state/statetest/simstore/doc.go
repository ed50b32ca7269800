// Package simstore is a backend of threads for tests: rows in maps that several replicas share. Each change of a row
// makes a new one, so the newest changes can be taken back as a failover to a lagging replica takes them back.
package simstore
