package catalogue

import (
	"strconv"
	"strings"
)

// Dollars returns the price as a number.
func (f Flight) Dollars() int { return number(f.Price) }

// Dollars returns the price of a night as a number.
func (h Hotel) Dollars() int { return number(h.PricePerNight) }

// Stars returns the rating as a number.
func (h Hotel) Stars() float64 {
	text, _, _ := strings.Cut(h.Rating, " ")
	stars, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0 // TestCatalogue rules it out
	}
	return stars
}

// number is the amount in "$1,205" or "$280/night"; 0 if there is none.
func number(price string) int {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, price)
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
