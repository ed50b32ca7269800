// Package catalogue is the data of the travel team: a few cities with their hotels, restaurants and activities, and the
// flights between any two of them.
//
//	cities := catalogue.Cities()
//	flights, recommended := catalogue.Flights(cities[0], cities[1])
//	hotels, best := cities[1].Hotels()
//
// The data is embedded, read once, and never changes; prices and durations of flights are computed from the distance.
// Every function and method is safe for concurrent use; slices are copies.
package catalogue
