// Package doctor checks an installation: whether the parts that the settings name are there, do what a gateway needs of them, and are set
// up as they should be.
//
// A [Check] looks at one part and returns what it has found, a [Finding] for each question that docs/doctor.md lists. [Run] makes checks
// side by side, gives each its time, and puts the findings into the order of that list. Nothing is changed: what a check has to write in
// order to know, it writes beside what is the gateway's, and takes away.
//
// A finding is read by an operator at night, so its sentence says what is, and Mend what to do. Neither holds a secret: texts of other
// servers go through package redact, and all that is printed once more through the list of secrets that the settings have.
package doctor
