package redisstore

// CheckURL reports whether [Open] can read the address. It reaches for nothing.
func CheckURL(address string) error {
	_, err := parseURL(address)
	return err
}
