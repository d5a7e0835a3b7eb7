//go:build windows || plan9 || js || wasip1

package workspace

// noWait is nothing where no pipe lies in a folder.
const noWait = 0
