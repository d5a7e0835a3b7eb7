//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// owner is whose a file is.
type owner struct {
	known    bool
	uid, gid uint32
}

// ownerOf tells whose a file is and how many names it has.
func ownerOf(info fs.FileInfo) (owner, uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return owner{}, 1
	}
	return owner{true, st.Uid, st.Gid}, uint64(st.Nlink) //nolint:unconvert // it is narrower on other systems
}

// keepOwner gives a new file to whom the old one belongs to.
func keepOwner(f *os.File, want owner) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if is, _ := ownerOf(info); !want.known || is == want {
		return nil
	}
	return f.Chown(int(want.uid), int(want.gid))
}
