// Package openai turns a request into an answer of a model behind OpenAI's
// chat completions or responses API, at OpenAI, on Azure, or of any server that
// speaks one of them, and histories in the types of OpenAI's SDK into
// conversations and back.
//
// The official SDK is the transport alone: it signs in and knows the hosts.
// Bodies are sent as they were made, byte for byte, and answers are read from
// the wire, because the SDK's types drop what they do not know: one unknown
// item silently costs the whole list of them.
//
//	model, err := openai.New(openai.Options{Model: "gpt-5-mini", Key: key})
//	answer, err := model.Complete(ctx, compactor.Request{Prompt: "Say hello."})
//
// Ollama, vLLM, llama.cpp, LM Studio and other servers are reached by their
// base URL, without a key where they want none. They are asked through chat
// completions unless Options.API says otherwise; what they do not know
// (response_format, stream_options, max_completion_tokens) is left out of the
// next request once they complained of it:
//
//	openai.Options{Model: "qwen3:8b", BaseURL: "http://localhost:11434/v1"}
//
// Azure is reached through the SDK's own options, which a program hands over as
// they are, without a Key; Model is the name of the deployment:
//
//	openai.Options{Model: "my-deployment", API: openai.Chat, Client: []option.RequestOption{
//		azure.WithEndpoint("https://my-resource.openai.azure.com", "2025-04-01-preview"),
//		azure.WithAPIKey(key), // or azure.WithTokenCredential(credential)
//	}}
//
// Nothing is read from the environment: not the key, not the host, not the
// organization or project (those are headers, OpenAI-Organization and
// OpenAI-Project). A program that wants a variable reads it itself.
package openai
