package state

import "testing"

// BenchmarkAdmit judges a new message, and a request that echoes what the thread has, on a short thread; what the table
// costs without a store.
func BenchmarkAdmit(b *testing.B) {
	f := chat()
	for _, test := range []struct {
		name string
		r    *Request
		want Meaning
	}{{"new", ask("u3"), Start}, {"echo", ask("u1 a1 u2 a2 u3"), Start}, {"shown", ask("u1 a1 u2 a2"), Show}} {
		b.Run("request="+test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v := admit(&f.Thread, f, test.r, noon); v.Meaning != test.want {
					b.Fatalf("admit() = %s, want %s", v.Meaning, test.want)
				}
			}
		})
	}
}
