package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"strings"
)

// keyPrefix lets people and secret scanners recognise a key.
const keyPrefix = "key_"

// GenerateKey makes a key with 256 bits of randomness for the principal key:NAME, and its line for a keys file. The
// line has only the key's hash, so a lost key cannot be recovered.
//
// A name has 1 to 128 bytes of printable UTF-8 without white space and colons, and does not begin with #. A key has up
// to 64 roles of at most 256 such bytes each, without commas.
func GenerateKey(name string, roles ...string) (key, line string, err error) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails: without randomness the process ends
	key = keyPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random[:]))
	hash := sha256.Sum256([]byte(key))
	line = name + ":" + hex.EncodeToString(hash[:])
	if len(roles) > 0 {
		line += ":" + strings.Join(roles, ",")
	}
	switch entry, problem := parseKeyLine(line); {
	case strings.HasPrefix(name, "#"):
		return "", "", errors.New("the key has a name that begins with #")
	case strings.Contains(name, ":"):
		return "", "", errors.New("the key has a name that holds a colon")
	case problem != "":
		return "", "", errors.New("the key " + problem)
	case len(entry.roles) != len(roles):
		return "", "", errors.New("the key has a role that holds a comma")
	}
	return key, line, nil
}
