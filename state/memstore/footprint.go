package memstore

import (
	"reflect"
	"time"
)

// footprint is about how many bytes of memory a value holds on to beside itself. What two values share counts for both. It costs what
// the value is made of, but not its bytes.
func footprint(v any) int64 { return heldBy(reflect.ValueOf(v)) }

// mapEntry is about what a map takes for an entry beside key and value.
const mapEntry = 16

// heldBy is footprint of a reflected value.
func heldBy(v reflect.Value) (n int64) {
	switch v.Kind() {
	case reflect.String:
		return rounded(int64(v.Len()))
	case reflect.Pointer:
		if !v.IsNil() {
			n = rounded(int64(v.Type().Elem().Size())) + heldBy(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			n = rounded(int64(v.Elem().Type().Size())) + heldBy(v.Elem())
		}
	case reflect.Slice:
		n = rounded(int64(v.Cap()) * int64(v.Type().Elem().Size()))
		fallthrough
	case reflect.Array:
		if flat(v.Type().Elem().Kind()) {
			return n
		}
		for i := range v.Len() {
			n += heldBy(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() { // its zone is everybody's
			return 0
		}
		for i := range v.NumField() {
			n += heldBy(v.Field(i))
		}
	case reflect.Map:
		entry := int64(v.Type().Key().Size()) + int64(v.Type().Elem().Size()) + mapEntry
		for it := v.MapRange(); it.Next(); {
			n += entry + heldBy(it.Key()) + heldBy(it.Value())
		}
	default: // it is all there is
	}
	return n
}

// flat reports whether values of a kind hold on to nothing.
func flat(k reflect.Kind) bool { return k <= reflect.Complex128 }

// rounded is what an allocation of n bytes takes: the allocator has sizes of about an eighth apart, and whole pages for large ones.
func rounded(n int64) int64 {
	switch {
	case n == 0:
		return 0
	case n < 32<<10:
		return n + n/12 + 8
	default:
		return (n + 8<<10 - 1) / (8 << 10) * (8 << 10)
	}
}
