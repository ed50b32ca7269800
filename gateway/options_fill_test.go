package gateway

import (
	"reflect"
	"strings"
	"testing"
)

// TestUnsetAndNegativeNumbersAreDefaults checks that every unset or negative duration and number of the options gets
// its default, because a run without an end is no choice. Exceptions are Pace, where no pause is a choice, and limits,
// where a negative one is no limit.
func TestUnsetAndNegativeNumbersAreDefaults(t *testing.T) {
	t.Parallel()
	var unset, negative Options
	numbers := 0
	eachNumber(reflect.ValueOf(&negative).Elem(), "", func(_ string, v reflect.Value) { v.SetInt(-1); numbers++ })
	unset.fill()
	negative.fill()
	want := map[string]int64{}
	eachNumber(reflect.ValueOf(&unset).Elem(), "", func(name string, v reflect.Value) {
		want[name] = v.Int()
		// their cost is up to the operator
		unlimited := name == "Limits.TokensPerPrincipal" || name == "Limits.StoredPerPrincipal"
		if v.Int() <= 0 && !unlimited {
			t.Errorf("%s has the default %d, want more", name, v.Int())
		}
	})
	eachNumber(reflect.ValueOf(&negative).Elem(), "", func(name string, v reflect.Value) {
		want := want[name]
		if strings.HasPrefix(name, "Limits.") {
			want = 0
		}
		if v.Int() != want {
			t.Errorf("%s = -1 became %d, want %d", name, v.Int(), want)
		}
	})
	if numbers < 20 {
		t.Errorf("the options have %d numbers, the test does not see them all", numbers)
	}
}

// eachNumber calls f for every number in v and in the structs within it.
func eachNumber(v reflect.Value, path string, f func(name string, v reflect.Value)) {
	for i := range v.NumField() {
		field, name := v.Field(i), path+v.Type().Field(i).Name
		switch {
		case name == "Pace":
		case field.CanInt():
			f(name, field)
		case field.Kind() == reflect.Struct:
			eachNumber(field, name+".", f)
		}
	}
}
