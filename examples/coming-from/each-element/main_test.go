package main

func Example() {
	main()
	// Output:
	// 2 jokes.
	// {"jokes":["A joke about cats.","A joke about dogs."]}
}
