package main

func Example() {
	main()
	// Output:
	// First a flight.
	// Done after 1 step. {"flight":"KLM"}
}
