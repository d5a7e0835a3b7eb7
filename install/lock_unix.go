//go:build unix

package install

import (
	"os"
	"syscall"

	"github.com/pith-memory/pith"
)

// lock lets one process at a time change settings. It ends with the process,
// whatever becomes of that.
func lock(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &pith.Error{Op: "make the folder " + dir, Kind: pith.KindInput, Err: bare(err), Hint: "nothing was changed; see that you may write there"}
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, &pith.Error{Op: "open the folder " + dir, Kind: pith.KindInput, Err: bare(err), Hint: "nothing was changed; see that you may read it"}
	}
	// Where a file system has no locks, the look at each file just before it is
	// replaced has to do.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	return func() { f.Close() }, nil
}
