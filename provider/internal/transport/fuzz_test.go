package transport

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
)

// FuzzReply holds that whatever a server sends is an answer or a Failure whose
// detail is short and whole.
func FuzzReply(f *testing.F) {
	for _, body := range []string{chatAnswer, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", `{"error":{"message":"m","code":400}}`, `{"error":"x","detail":[1]}`, "<html><title>x</title>", "event: error\ndata: {\"error\":{}}\n\n", "\xef\xbb\xbf", "null"} {
		for _, status := range []int{200, 400, 429, 503} {
			f.Add(status, "text/event-stream", body)
		}
	}
	f.Fuzz(func(t *testing.T, status int, media, body string) {
		for _, format := range []pith.Format{pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses} {
			_, err := Limits{Model: "m", MaxRetries: -1}.Do(t.Context(), func(ctx context.Context, call *Call) (compactor.Response, error) {
				req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://host/", nil)
				res, err := call.Middleware(req, func(*http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(strings.NewReader(body))}, nil
				})
				reply, err := call.Reply(format, res, err, nil)
				return Response(reply, compactor.StopEnd), err
			})
			if err == nil {
				continue
			}
			if failure := compactor.FailureOf(err); failure == nil || len(failure.Detail) > maxDetail || !utf8.ValidString(failure.Detail) || failure.Kind == "" {
				t.Errorf("got %+v", err)
			}
		}
	})
}
