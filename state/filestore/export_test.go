package filestore

func init() { compactFrom = 1 << 20 }
