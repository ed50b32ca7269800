// Package catalogue is what the travel team knows about the world: a few cities with their hotels, restaurants and
// activities, and the flights between any two of them.
//
//	cities := catalogue.Cities()
//	flights, recommended := catalogue.Flights(cities[0], cities[1])
//	hotels, best := cities[1].Hotels()
//
// The data is embedded, read once, and never changes; prices and durations of flights are computed from the distance. Every
// function and method may be called from any goroutine; slices are the caller's own copies.
package catalogue
