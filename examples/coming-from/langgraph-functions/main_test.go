package main

func Example() {
	main()
	// Output:
	// Which class? ["first","second"]
	// Booked a seat in first class.
	// {"log":["searched","booked first"],"seats":2}
}
