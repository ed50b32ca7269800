package filestore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	bolt "go.etcd.io/bbolt"
)

// castagnoli is the polynomial that processors compute themselves.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errSum is returned for a value that is not what was written, or not where it was written.
var errSum = errors.New("a record is not what was written")

// sumSize is how many bytes of checksum each value begins with.
const sumSize = 4

// within is the checksum that those in a bucket begin with, given that of the bucket it is in.
func within(seed uint32, name []byte) uint32 {
	return crc32.Update(crc32.Update(seed, castagnoli, name), castagnoli, []byte{0})
}

// sum is the checksum of a value under its key in a bucket: bbolt has none, and a value under another name is as wrong as
// another value.
func sum(seed uint32, key, value []byte) uint32 {
	return crc32.Update(within(seed, key), castagnoli, value)
}

// unseal returns what was sealed under the key.
func unseal(seed uint32, key, sealed []byte) ([]byte, error) {
	if len(sealed) < sumSize || binary.BigEndian.Uint32(sealed) != sum(seed, key, sealed[sumSize:]) {
		return nil, errSum
	}
	return sealed[sumSize:], nil
}

// A table is a bucket whose values carry checksums. The zero table is empty and cannot be written. What it returns is good
// until its transaction is over.
type table struct {
	b    *bolt.Bucket
	seed uint32
}

// rootTable returns a bucket of the file's first level.
func rootTable(tx *bolt.Tx, name []byte) table {
	return table{tx.Bucket(name), within(0, name)}
}

// sub returns a table within t, which is empty if there is none.
func (t table) sub(name []byte) table {
	if t.b == nil {
		return table{}
	}
	return table{t.b.Bucket(name), within(t.seed, name)}
}

// make returns a table within t, made if there is none.
func (t table) make(name []byte) (table, error) {
	b, err := t.b.CreateBucketIfNotExists(name)
	return table{b, within(t.seed, name)}, err
}

// remove takes a table within t away, with all that is in it.
func (t table) remove(name []byte) error {
	if t.b == nil || t.b.Bucket(name) == nil {
		return nil
	}
	return t.b.DeleteBucket(name)
}

// get returns the value of a key, nil if there is none.
func (t table) get(key []byte) ([]byte, error) {
	if t.b == nil {
		return nil, nil
	}
	sealed := t.b.Get(key)
	if sealed == nil {
		return nil, nil
	}
	return unseal(t.seed, key, sealed)
}

func (t table) put(key, value []byte) error {
	sealed := make([]byte, sumSize, sumSize+len(value))
	binary.BigEndian.PutUint32(sealed, sum(t.seed, key, value))
	return t.b.Put(key, append(sealed, value...))
}

func (t table) delete(key []byte) error {
	if t.b == nil {
		return nil
	}
	return t.b.Delete(key)
}

// each calls f for the values from a key on, in order, until f says false.
func (t table) each(from []byte, f func(key, value []byte) (bool, error)) error {
	if t.b == nil {
		return nil
	}
	c := t.b.Cursor()
	for key, sealed := c.Seek(from); key != nil; key, sealed = c.Next() {
		if sealed == nil {
			continue // a table
		}
		value, err := unseal(t.seed, key, sealed)
		if err != nil {
			return err
		}
		if ok, err := f(key, value); !ok || err != nil {
			return err
		}
	}
	return nil
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
func (t table) shift() (size int, err error) {
	if t.b == nil {
		return 0, nil
	}
	c := t.b.Cursor()
	_, sealed := c.First()
	if sealed == nil {
		return 0, nil
	}
	return len(sealed) - sumSize, c.Delete()
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
func (t table) deleteTo(most []byte) error {
	if t.b == nil {
		return nil
	}
	c := t.b.Cursor()
	for key, _ := c.First(); key != nil && bytes.Compare(key, most) <= 0; key, _ = c.First() {
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}
