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
	// grown counts the bytes that were added to the table and those within it, less those that were removed; nil: nobody counts.
	grown *int64
}

// elementCost is what bbolt takes for an element beside its key and value.
const elementCost = elementSize

// sizeOf is what an element takes.
func sizeOf(key, sealed []byte) int64 { return int64(len(key) + len(sealed) + elementCost) }

// count counts an element n times; once for each that is there more, and negative for one that is not any more.
func (t table) count(n int64, key, sealed []byte) {
	if t.grown != nil && sealed != nil {
		*t.grown += n * sizeOf(key, sealed)
	}
}

// countAll counts all elements of a bucket n times.
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

// rootTable returns a bucket of the file's first level.
func rootTable(tx *bolt.Tx, name []byte) table {
	return table{b: tx.Bucket(name), seed: within(0, name)}
}

// sub returns a table within t, which is empty if there is none.
func (t table) sub(name []byte) table {
	if t.b == nil {
		return table{}
	}
	return table{t.b.Bucket(name), within(t.seed, name), t.grown}
}

// make returns a table within t, made if there is none.
func (t table) make(name []byte) (table, error) {
	b, err := t.b.CreateBucketIfNotExists(name)
	return table{b, within(t.seed, name), t.grown}, err
}

// remove takes a table within t away, with all that is in it.
func (t table) remove(name []byte) error {
	if t.b == nil || t.b.Bucket(name) == nil {
		return nil
	}
	if err := t.countAll(-1, t.b.Bucket(name)); err != nil {
		return err
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
	sealed = append(sealed, value...)
	if t.grown != nil {
		t.count(-1, key, t.b.Get(key))
		t.count(1, key, sealed)
	}
	return t.b.Put(key, sealed)
}

func (t table) delete(key []byte) error {
	if t.b == nil {
		return nil
	}
	if t.grown != nil {
		t.count(-1, key, t.b.Get(key))
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
	key, sealed := c.First()
	if sealed == nil {
		return 0, nil
	}
	t.count(-1, key, sealed)
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
	for key, sealed := c.First(); key != nil && bytes.Compare(key, most) <= 0; key, sealed = c.First() {
		t.count(-1, key, sealed)
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}
