// The peers and how each is configured. They differ from their defaults in
// when they begin: at once, since the cut is given.
import { ClearToolUsesEdit, contextEditingMiddleware, summarizationMiddleware } from "langchain";
import { AIMessage } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { langchain, vercel } from "./convert.mjs";

const atOnce = { tokens: 1 };

// model answers as the summarizing model would have: with the summary that
// another model really wrote of this history.
function model(recorded) {
  return {
    invoke: async (prompt) => {
      recorded.shown = Buffer.byteLength(String(prompt));
      return new AIMessage(recorded.summary);
    },
  };
}

function summarization(of, options) {
  return {
    of,
    wantsSummary: true,
    convert: langchain,
    run: async (messages, recorded) => {
      const middleware = summarizationMiddleware({ model: model(recorded), trigger: atOnce, ...options });
      const update = await middleware.beforeModel({ messages }, { context: {} });
      // The first message of the update says that all that was there is removed.
      return update ? update.messages.slice(1) : messages;
    },
  };
}

function editing(of, options) {
  return {
    of,
    convert: langchain,
    run: async (messages) => {
      const middleware = contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: atOnce, ...options })] });
      let sent = messages;
      await middleware.wrapModelCall({ messages, model: model({}) }, (request) => {
        sent = request.messages;
        return new AIMessage("");
      });
      return sent;
    },
  };
}

function pruning(of, options) {
  return { of, convert: vercel, run: async (messages) => pruneMessages({ messages, ...options }) };
}

export const setups = [
  summarization("langchain summarization", {}),
  summarization("langchain summarization, keep 20k tokens", { keep: { tokens: 20000 } }),
  editing("langchain contextEditing", {}),
  editing("langchain contextEditing, keep 10", { keep: { messages: 10 } }),
  pruning("vercel pruneMessages", { reasoning: "before-last-message", toolCalls: "before-last-2-messages" }),
  pruning("vercel pruneMessages, last 20", { reasoning: "before-last-message", toolCalls: "before-last-20-messages" }),
];
