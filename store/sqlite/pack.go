package sqlite

import (
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxText bounds what a compressed text may grow to: a stored one is trusted no
// more than any other input.
const maxText = 1 << 30

var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(true))
})

var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxText))
})

// pack appends a text, compressed, to dst.
func pack(dst []byte, text string) ([]byte, error) {
	e, err := encoder()
	if err != nil {
		return nil, err
	}
	if len(text) > maxText {
		return nil, errors.New("the text is too long to be kept")
	}
	return e.EncodeAll([]byte(text), dst), nil
}

// unpack gives the text back.
func unpack(packed []byte) (string, error) {
	d, err := decoder()
	if err != nil {
		return "", err
	}
	b, err := d.DecodeAll(packed, nil)
	return string(b), err
}
