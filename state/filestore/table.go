package filestore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	bolt "go.etcd.io/bbolt"
)

// castagnoli is the polynomial with support in processors.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errSum: a value is damaged, or is stored under another key.
var errSum = errors.New("a record is not what was written")

// sumSize is the number of bytes of a checksum, in front of each value.
const sumSize = 4

// within returns the seed of the checksums in a bucket, from the seed of its parent.
func within(seed uint32, name []byte) uint32 {
	return crc32.Update(crc32.Update(seed, castagnoli, name), castagnoli, []byte{0})
}

// sum returns the checksum of a value under its key in a bucket. Bbolt has no checksums, and a value under another
// name is as wrong as another value.
func sum(seed uint32, key, value []byte) uint32 {
	return crc32.Update(within(seed, key), castagnoli, value)
}

// unseal checks a value and returns it without its checksum.
func unseal(seed uint32, key, sealed []byte) ([]byte, error) {
	if len(sealed) < sumSize || binary.BigEndian.Uint32(sealed) != sum(seed, key, sealed[sumSize:]) {
		return nil, errSum
	}
	return sealed[sumSize:], nil
}

// A table is a bucket of values with checksums. The zero table is empty and read-only. Returned values are valid
// until the end of the transaction.
type table struct {
	b    *bolt.Bucket
	seed uint32
	// grown counts the bytes added to the table and its subtables, minus the removed ones; nil: they are not counted.
	grown *int64

	*failure
}

// A failure has the first error in a transaction. Reads after it return nothing that counts, and changes after it have
// no effect, because the transaction is not written. So only the end of the transaction checks it, and loops do.
type failure struct{ err error }

// fail sets the error if there was none; nil is none.
func (f *failure) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// decode is [unmarshal].
func (f *failure) decode(what string, raw []byte, v any) { f.fail(unmarshal(what, raw, v)) }

// elementCost is the number of bytes of an element in bbolt beside its key and value.
const elementCost = elementSize

// sizeOf returns the size of an element.
func sizeOf(key, sealed []byte) int64 { return int64(len(key) + len(sealed) + elementCost) }

// count adds n times the size of an element; n is negative for a removed one.
func (t table) count(n int64, key, sealed []byte) {
	if t.grown != nil && sealed != nil {
		*t.grown += n * sizeOf(key, sealed)
	}
}

// countAll adds n times the size of all elements of a bucket.
func (t table) countAll(n int64, b *bolt.Bucket) error {
	if t.grown == nil {
		return nil
	}
	return b.ForEach(func(key, sealed []byte) error {
		if sealed == nil {
			return t.countAll(n, b.Bucket(key))
		}
		t.count(n, key, sealed)
		return nil
	})
}

// sub returns a table within t; an empty one if there is none.
func (t table) sub(name []byte) table {
	if t.b == nil {
		return table{failure: t.failure}
	}
	return table{t.b.Bucket(name), within(t.seed, name), t.grown, t.failure}
}

// make returns a table within t, and makes it if there is none.
func (t table) make(name []byte) table {
	if t.b == nil {
		return table{failure: t.failure}
	}
	b, err := t.b.CreateBucketIfNotExists(name)
	t.fail(err)
	return table{b, within(t.seed, name), t.grown, t.failure}
}

// remove removes a table within t with all its elements.
func (t table) remove(name []byte) {
	if t.b == nil || t.b.Bucket(name) == nil {
		return
	}
	t.fail(t.countAll(-1, t.b.Bucket(name)))
	t.fail(t.b.DeleteBucket(name))
}

// get returns the value of a key, nil if there is none.
func (t table) get(key []byte) []byte {
	if t.b == nil {
		return nil
	}
	sealed := t.b.Get(key)
	if sealed == nil {
		return nil
	}
	value, err := unseal(t.seed, key, sealed)
	t.fail(err)
	return value
}

func (t table) put(key, value []byte) {
	if t.b == nil {
		return
	}
	sealed := make([]byte, sumSize, sumSize+len(value))
	binary.BigEndian.PutUint32(sealed, sum(t.seed, key, value))
	sealed = append(sealed, value...)
	if t.grown != nil {
		t.count(-1, key, t.b.Get(key))
		t.count(1, key, sealed)
	}
	t.fail(t.b.Put(key, sealed))
}

func (t table) delete(key []byte) {
	if t.b == nil {
		return
	}
	if t.grown != nil {
		t.count(-1, key, t.b.Get(key))
	}
	t.fail(t.b.Delete(key))
}

// sequence returns another number with each call.
func (t table) sequence() uint64 {
	if t.b == nil {
		return 0
	}
	n, err := t.b.NextSequence()
	t.fail(err)
	return n
}

// each calls f for the values from a key on, in order, until f returns false or something has failed.
func (t table) each(from []byte, f func(key, value []byte) bool) {
	if t.b == nil {
		return
	}
	c := t.b.Cursor()
	for key, sealed := c.Seek(from); key != nil && t.err == nil; key, sealed = c.Next() {
		if sealed == nil {
			continue // a table
		}
		value, err := unseal(t.seed, key, sealed)
		if t.fail(err); t.err != nil || !f(key, value) {
			return
		}
	}
}

// first returns the smallest key, nil if there is none.
func (t table) first() []byte {
	if t.b == nil {
		return nil
	}
	key, _ := t.b.Cursor().First()
	return key
}

// shift deletes the first value, and returns its size.
func (t table) shift() (size int) {
	if t.b == nil {
		return 0
	}
	c := t.b.Cursor()
	key, sealed := c.First()
	if sealed == nil {
		return 0
	}
	t.count(-1, key, sealed)
	t.fail(c.Delete())
	return len(sealed) - sumSize
}

// last returns the greatest key, nil if there is none.
func (t table) last() []byte {
	if t.b == nil {
		return nil
	}
	key, _ := t.b.Cursor().Last()
	return key
}

// deleteTo deletes the values up to and with a key.
func (t table) deleteTo(most []byte) {
	if t.b == nil {
		return
	}
	c := t.b.Cursor()
	for key, sealed := c.First(); key != nil && bytes.Compare(key, most) <= 0; key, sealed = c.First() {
		t.count(-1, key, sealed)
		if err := c.Delete(); err != nil {
			t.fail(err)
			return
		}
	}
}
