// Package bounded has tables of limited size. A [Table] evicts the values of the lowest rank when it is full: those
// that were not used for longest, or those that count least. A [Spending] records what owners spend, each within a
// window of time, and evicts the owner that has spent least: an owner that has spent too much cannot push its own
// record out with many small ones.
package bounded
