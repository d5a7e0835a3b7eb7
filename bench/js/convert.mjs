// Exchanged messages as each library's own, and back. An exchanged message has
// a role, a text, and either calls (assistant) or call_id and name (tool).
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";

// object is a call's input as libraries want it; what is no object is put into one.
function object(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : { input: value };
}

function text(content) {
  if (typeof content === "string") return content;
  return content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
}

export const langchain = {
  to: (messages) =>
    messages.map((m) => {
      switch (m.role) {
        case "system":
          return new SystemMessage(m.text ?? "");
        case "tool":
          return new ToolMessage({ content: m.text ?? "", tool_call_id: m.call_id, name: m.name });
        case "assistant":
          return new AIMessage({
            content: m.text ?? "",
            tool_calls: (m.calls ?? []).map((c) => ({ id: c.id, name: c.name, args: object(c.arguments), type: "tool_call" })),
          });
        default:
          return new HumanMessage(m.text ?? "");
      }
    }),
  from: (messages) =>
    messages.map((m) => {
      switch (m.getType()) {
        case "system":
          return { role: "system", text: text(m.content) };
        case "tool":
          return { role: "tool", text: text(m.content), call_id: m.tool_call_id, name: m.name };
        case "ai": {
          const calls = (m.tool_calls ?? []).map((c) => ({ id: c.id, name: c.name, arguments: c.args }));
          return { role: "assistant", text: text(m.content), ...(calls.length ? { calls } : {}) };
        }
        default:
          return { role: "user", text: text(m.content) };
      }
    }),
};

export const vercel = {
  to: (messages) =>
    messages.map((m) => {
      switch (m.role) {
        case "tool":
          return {
            role: "tool",
            content: [{ type: "tool-result", toolCallId: m.call_id, toolName: m.name ?? "", output: { type: "text", value: m.text ?? "" } }],
          };
        case "assistant": {
          const content = (m.calls ?? []).map((c) => ({ type: "tool-call", toolCallId: c.id, toolName: c.name, input: object(c.arguments) }));
          if (m.text) content.unshift({ type: "text", text: m.text });
          return { role: "assistant", content };
        }
        default:
          return { role: m.role, content: m.text ?? "" };
      }
    }),
  from: (messages) =>
    messages.flatMap((m) => {
      if (m.role === "tool") {
        return m.content.map((p) => ({ role: "tool", text: p.output.value, call_id: p.toolCallId, name: p.toolName }));
      }
      const out = { role: m.role, text: text(m.content) };
      if (typeof m.content !== "string") {
        const calls = m.content.filter((p) => p.type === "tool-call");
        if (calls.length) out.calls = calls.map((p) => ({ id: p.toolCallId, name: p.toolName, arguments: p.input }));
      }
      return [out];
    }),
};
