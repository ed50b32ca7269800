package filestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The layout of a bbolt file, as far as checking one needs it. Numbers are in the machine's own byte order.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	pageHeader    = 16 // id, flags, count, overflow
	elementSize   = 16 // of a leaf and of a branch
	bucketHeader  = 16 // root page, sequence
	metaSize      = 64
	metaSummed    = 56 // bytes of a meta page that its checksum covers
	smallestPage  = 1 << 10
	largestPage   = 1 << 24
	firstDataPage = 2

	pageBranch   = 0x01
	pageLeaf     = 0x02
	pageFreelist = 0x10

	leafBucket = 0x01 // the element is a bucket
)

// errForeign is returned for a file that is no bbolt file at all.
var errForeign = errors.New("it does not begin as such a file does")

var order = binary.NativeEndian

// A meta is one of the two pages that a bbolt file begins with. The newer valid one counts.
type meta struct {
	pageSize int
	root     uint64 // page of the root bucket
	freelist uint64 // page of the list of free pages
	high     uint64 // first page that is not in use
	txid     uint64
	torn     bool // the other meta page is damaged: this may not be the newest one
}

// noFreelist is the page of a list that was not written.
const noFreelist = ^uint64(0)

// parseMeta reads a meta page. Magic: the page is one. Ok: its checksum is right.
func parseMeta(page []byte) (m meta, magic, ok bool) {
	b := page[pageHeader:]
	if order.Uint32(b) != boltMagic {
		return meta{}, false, false
	}
	m = meta{
		pageSize: int(order.Uint32(b[8:])), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		high: order.Uint64(b[40:]), txid: order.Uint64(b[48:]),
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:metaSummed])
	return m, true, order.Uint32(b[4:]) == boltVersion && order.Uint64(b[56:]) == sum.Sum64()
}

// readMeta returns the valid meta page, as bbolt finds it: the first whole one has the size of pages, and so the
// place of the second one.
func readMeta(file io.ReaderAt, size int64) (meta, error) {
	foreign := true
	look := func(at int64) (meta, bool) {
		buf := make([]byte, pageHeader+metaSize)
		if at+int64(len(buf)) > size {
			return meta{}, false
		}
		if _, err := file.ReadAt(buf, at); err != nil {
			return meta{}, false
		}
		m, magic, ok := parseMeta(buf)
		foreign = foreign && !magic
		return m, ok
	}
	first, ok := look(0)
	for at := int64(smallestPage); !ok && at <= largestPage; at *= 2 {
		first, ok = look(at)
	}
	if foreign {
		return meta{}, errForeign
	}
	pageSize := first.pageSize
	if ok && (pageSize < smallestPage || pageSize > largestPage || pageSize&(pageSize-1) != 0) {
		return meta{}, fmt.Errorf("it cannot have pages of %d bytes", pageSize)
	}
	var newest meta
	torn := false
	for _, at := range []int64{0, int64(pageSize)} {
		m, ok := look(at)
		if ok && m.pageSize != pageSize {
			return meta{}, fmt.Errorf("it has pages of %d and of %d bytes", pageSize, m.pageSize)
		}
		if ok && (newest.pageSize == 0 || m.txid > newest.txid) {
			newest = m
		}
		torn = torn || !ok
	}
	newest.torn = torn
	if newest.pageSize == 0 {
		return meta{}, errors.New("neither of its first two pages is whole")
	}
	return newest, nil
}
