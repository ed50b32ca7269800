package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxNode is the most bytes of one node of a tree. The gateway's settings limit values to some MiB, and few of them
// share a node, so a larger node is damaged and must not decide how much memory is allocated.
const maxNode = 1 << 30

// A checker walks all trees of a bbolt file and finds damage that would make bbolt, which maps the file and trusts
// it, panic or crash. It reads each used page once, and needs memory for one bit per page and for the largest node.
type checker struct {
	file io.ReaderAt
	meta meta
	seen []uint64 // bits of the pages that were found in use
	used uint64   // how many of them
	// visit is called for every value, with the names of its buckets.
	visit func(path []string, key, value []byte) error
}

// checkFile checks the file and returns the number of its pages, and how many of them are used.
func checkFile(
	file io.ReaderAt, size int64, visit func(path []string, key, value []byte) error,
) (used, all uint64, m meta, err error) {
	m, err = readMeta(file, size)
	if err != nil {
		return 0, 0, m, err
	}
	if m.high < firstDataPage || m.high > uint64(size)/uint64(m.pageSize)+1 {
		return 0, 0, m, fmt.Errorf(
			"it has %d bytes and should have %d pages of %d: its end is missing", size, m.high, m.pageSize)
	}
	c := &checker{file: file, meta: m, seen: make([]uint64, m.high/64+1), visit: visit}
	if err := c.tree(nil, m.root, nil, nil); err != nil {
		return 0, 0, m, err
	}
	if err := c.freelist(); err != nil {
		return 0, 0, m, err
	}
	return c.used, m.high, m, nil
}

// node reads a page with its overflow, and marks it as used.
func (c *checker) node(id uint64) ([]byte, error) {
	size := uint64(c.meta.pageSize)
	if id < firstDataPage || id >= c.meta.high {
		return nil, fmt.Errorf("page %d is named and is outside of the file", id)
	}
	header := make([]byte, pageHeader)
	if _, err := c.file.ReadAt(header, int64(id*size)); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	if order.Uint64(header) != id {
		return nil, fmt.Errorf("page %d calls itself %d", id, order.Uint64(header))
	}
	pages := uint64(order.Uint32(header[12:])) + 1
	if id+pages > c.meta.high || pages*size > maxNode {
		return nil, fmt.Errorf("page %d claims to go on for %d pages", id, pages)
	}
	for p := id; p < id+pages; p++ {
		if c.seen[p/64]&(1<<(p%64)) != 0 {
			return nil, fmt.Errorf("page %d is in use twice", p)
		}
		c.seen[p/64] |= 1 << (p % 64)
	}
	c.used += pages
	node := make([]byte, pages*size)
	if _, err := c.file.ReadAt(node, int64(id*size)); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	return node, nil
}

// tree walks the tree with its root at a page. Its keys have to be from least up to, but without, most; nil is no
// limit.
func (c *checker) tree(path []string, id uint64, least, most []byte) error {
	node, err := c.node(id)
	if err != nil {
		return err
	}
	switch flags := order.Uint16(node[8:]); flags {
	case pageLeaf:
		err = c.leaf(path, node, least, most)
	case pageBranch:
		err = c.branch(path, node, least, most)
	default:
		err = fmt.Errorf("is of kind %#x, which no tree has", flags)
	}
	if err != nil && !errors.As(err, new(*pageError)) {
		err = &pageError{id, err}
	}
	return err
}

// A pageError names the damaged page.
type pageError struct {
	id  uint64
	err error
}

func (e *pageError) Error() string { return fmt.Sprintf("page %d: %v", e.id, e.err) }
func (e *pageError) Unwrap() error { return e.err }

// elements returns the number of elements of a node, if there is room for them, and a reader of their keys and values.
func elements(node []byte) (int, *reader, error) {
	n := int(order.Uint16(node[10:]))
	end := pageHeader + n*elementSize
	if end > len(node) {
		return 0, nil, fmt.Errorf("has no room for its %d elements", n)
	}
	if n == 0 && slices.ContainsFunc(node[end:], func(b byte) bool { return b != 0 }) {
		return 0, nil, errors.New("has no elements, and something all the same")
	}
	return n, &reader{node, uint64(end)}, nil
}

// A reader reads the keys and values of a node one after the other. Bbolt leaves no room between them, so a wrong
// number of elements is noticed too.
type reader struct {
	node []byte
	next uint64
}

// read returns size bytes that begin pos bytes after the element at.
func (r *reader) read(at int, pos, size uint64) ([]byte, error) {
	from := uint64(at) + pos
	if from != r.next || from+size > uint64(len(r.node)) {
		return nil, errors.New("has an element that is not where it should be")
	}
	r.next = from + size
	return r.node[from:r.next], nil
}

// number reads four bytes of a node.
func number(node []byte, at int) uint64 { return uint64(order.Uint32(node[at:])) }

// ordered checks the order of a key in its node.
func ordered(last, key, least, most []byte) error {
	if last != nil && bytes.Compare(last, key) >= 0 || least != nil && bytes.Compare(key, least) < 0 ||
		most != nil && bytes.Compare(key, most) >= 0 {
		return errors.New("has keys that are out of order")
	}
	return nil
}

func (c *checker) branch(path []string, node, least, most []byte) error {
	n, held, err := elements(node)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("is a branch without leaves")
	}
	keys := make([][]byte, n, n+1)
	var last []byte
	for i := range n {
		at := pageHeader + i*elementSize
		if keys[i], err = held.read(at, number(node, at), number(node, at+4)); err != nil {
			return err
		}
		if err := ordered(last, keys[i], least, most); err != nil {
			return err
		}
		last = keys[i]
	}
	keys = append(keys, most)
	for i := range n {
		if err := c.tree(path, order.Uint64(node[pageHeader+i*elementSize+8:]), keys[i], keys[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) leaf(path []string, node, least, most []byte) error {
	n, held, err := elements(node)
	if err != nil {
		return err
	}
	var last []byte
	for i := range n {
		at := pageHeader + i*elementSize
		pos, ksize, vsize := number(node, at+4), number(node, at+8), number(node, at+12)
		key, err := held.read(at, pos, ksize)
		if err != nil {
			return err
		}
		value, err := held.read(at, pos+ksize, vsize)
		if err != nil {
			return err
		}
		if err := ordered(last, key, least, most); err != nil {
			return err
		}
		last = key
		switch flags := order.Uint32(node[at:]); flags {
		case 0:
			err = c.visit(path, key, value)
		case leafBucket:
			err = c.bucket(append(path[:len(path):len(path)], string(key)), value)
		default:
			err = fmt.Errorf("has an element of kind %#x", flags)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucket walks a bucket. A small one is stored in the element that names it.
func (c *checker) bucket(path []string, value []byte) error {
	if len(value) < bucketHeader {
		return errors.New("has a bucket without a header")
	}
	if root := order.Uint64(value); root != 0 {
		return c.tree(path, root, nil, nil)
	}
	inline := value[bucketHeader:]
	if len(inline) < pageHeader || order.Uint16(inline[8:]) != pageLeaf {
		return errors.New("has a small bucket that is none")
	}
	return c.leaf(path, inline, nil, nil)
}

// freelist checks that no page is free and in use.
func (c *checker) freelist() error {
	if c.meta.freelist == noFreelist {
		return nil
	}
	node, err := c.node(c.meta.freelist)
	if err != nil {
		return err
	}
	if order.Uint16(node[8:]) != pageFreelist {
		return &pageError{c.meta.freelist, errors.New("is not the list of free pages")}
	}
	ids := node[pageHeader:]
	n := uint64(order.Uint16(node[10:]))
	if n == 0xFFFF { // the first entry is the number
		n, ids = order.Uint64(ids), ids[8:]
	}
	if n > uint64(len(ids))/8 {
		return &pageError{c.meta.freelist, errors.New("has no room for its free pages")}
	}
	last := uint64(firstDataPage - 1)
	for i := range n {
		id := order.Uint64(ids[8*i:])
		if id <= last || id >= c.meta.high || c.seen[id/64]&(1<<(id%64)) != 0 {
			return &pageError{c.meta.freelist, fmt.Errorf("lists page %d as free", id)}
		}
		last = id
	}
	return nil
}
