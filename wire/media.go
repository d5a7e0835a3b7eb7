package wire

import (
	"bytes"
	"strconv"

	"github.com/pith-memory/pith/jsonscan"
)

// mediaSource reads an Anthropic image's or document's "source".
func mediaSource(source []byte) (mediaType string, size int) {
	c := jsonscan.New(source)
	if c.Peek() != '{' {
		return "", 0
	}
	c.Object()
	base64 := true
	for {
		key, ok := c.Key()
		if !ok {
			return mediaType, size
		}
		switch string(key) {
		case "type":
			kind, _ := c.Raw()
			base64 = string(kind) != "text"
		case "media_type":
			mediaType = c.String()
		case "data":
			if data, ok := c.Raw(); ok && base64 {
				size = decodedSize(data)
			} else {
				size = len(data)
			}
		default:
			c.Skip()
		}
	}
}

// dataURL reads the media type and size of a data: address. The value may be
// the address itself or OpenAI's object around it; any other address gives nothing.
func dataURL(value []byte) (mediaType string, size int) {
	if start, end, ok := jsonscan.Member(value, "url"); ok {
		value = value[start:end]
	}
	c := jsonscan.New(value)
	url, _ := c.Raw()
	rest, ok := bytes.CutPrefix(url, []byte("data:"))
	if !ok {
		return "", 0
	}
	head, data, ok := bytes.Cut(rest, []byte(","))
	if !ok {
		return "", 0
	}
	kind, _, _ := bytes.Cut(head, []byte(";"))
	return jsonscan.Text(kind), decodedSize(data)
}

// decodedSize is how many bytes base64 text stands for.
func decodedSize(data []byte) int {
	for n := len(data); n > 0 && data[n-1] == '='; n-- {
		data = data[:n-1]
	}
	return len(data) * 3 / 4
}

// mediaMarker stands for media in a text.
func mediaMarker(kind, mediaType string, size int) string {
	name := "image"
	switch kind {
	case "document", "input_file", "file":
		name = "document"
	case "input_audio":
		name = "audio"
	}
	if mediaType != "" {
		name += " " + mediaType
	}
	if size == 0 {
		return "[" + name + "]"
	}
	return "[" + name + ", " + strconv.Itoa(size) + " bytes]"
}
