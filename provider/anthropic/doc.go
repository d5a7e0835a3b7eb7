// Package anthropic turns a request into an answer of a Claude model, and
// histories in the types of Anthropic's SDK into conversations and back.
//
// The official SDK is the transport alone: it signs in and knows the hosts.
// Bodies are sent as they were made, byte for byte, and answers are read from
// the wire, because the SDK's request types drop what they do not know: one
// block of a newer type silently costs its whole message.
//
//	model, err := anthropic.New(anthropic.Options{Model: "claude-haiku-4-5", Key: key})
//	answer, err := model.Complete(ctx, compactor.Request{Prompt: "Say hello."})
//
// Nothing is read from the environment or from files: not the key, not the
// host, not a profile. A program that wants a variable reads it itself.
//
// Claude on Amazon Bedrock, Google Cloud's Vertex AI, Microsoft Foundry (Azure)
// and Claude Platform on AWS is reached through the SDK's own options, which a
// program hands over as they are, without a Key:
//
//	anthropic.Options{Model: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
//		Client: []option.RequestOption{bedrock.WithConfig(awsConfig)}}
//	anthropic.Options{Model: "claude-haiku-4-5@20251001",
//		Client: []option.RequestOption{vertex.WithCredentials(ctx, region, project, credentials)}}
//	anthropic.Options{Model: "my-deployment", Client: foundryClient.Options}
//	anthropic.Options{Model: "claude-haiku-4-5", Client: awsClient.Options}
//
// A platform's own options may read the environment that its vendor defines,
// and rewrite the body for it: Bedrock and Vertex take the model's name out.
package anthropic
