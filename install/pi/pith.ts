// pith in pi: where pi compacts, by itself or on /compact, the summary is pith's
// memory of the session, made without a model. Whatever goes wrong here, pi
// makes its own summary as it does without this file.
import { spawn } from "node:child_process";
import { homedir } from "node:os";

const pith = "__PITH__";

// How long pith may take. Units: ms.
const patience = 5000;
// From how full a context on the person is told. Units: percent.
const warnFrom = 60;

// ask gives pith an event, and gives back its answer, null for none.
function ask(event: string, input: object): Promise<any> {
  return new Promise((resolve) => {
    let out = "";
    const child = spawn(pith, ["hook", event, "--client", "pi"], { stdio: ["pipe", "pipe", "ignore"], cwd: homedir() });
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      resolve(null);
    }, patience);
    child.on("error", () => {
      clearTimeout(late);
      resolve(null);
    });
    child.on("close", () => {
      clearTimeout(late);
      try {
        resolve(JSON.parse(out));
      } catch {
        resolve(null);
      }
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stdin.on("error", () => {}); // a pith that is gone has no answer either
    child.stdin.end(JSON.stringify(input));
  });
}

// session says which session an event is of; null for one that pi keeps in no
// file.
function session(ctx: any): object | null {
  const path = ctx.sessionManager.getSessionFile();
  if (!path) return null;
  return { session_id: ctx.sessionManager.getSessionId(), transcript_path: path, cwd: ctx.cwd, window: ctx.model?.contextWindow ?? 0 };
}

export default function (pi: any) {
  // What the model is told with the next prompt.
  let owed = "";

  async function told(event: string, input: object) {
    owed = (await ask(event, input))?.hookSpecificOutput?.additionalContext ?? "";
  }

  pi.on("session_before_compact", async (event: any, ctx: any) => {
    // ctx is asked for before the first wait: pi may be about to end.
    const of = session(ctx);
    const ui = ctx.hasUI ? ctx.ui : null;
    if (!of) return undefined;
    const { firstKeptEntryId, tokensBefore } = event.preparation;
    const trigger = event.reason === undefined ? "" : event.reason === "manual" ? "manual" : "auto"; // older ones do not say
    const answer = await ask("session-compact", { ...of, trigger, custom_instructions: event.customInstructions });
    if (typeof answer?.memory !== "string" || answer.memory === "") return undefined;
    if (answer.notice) ui?.notify(answer.notice, "info");
    return { compaction: { summary: answer.memory, firstKeptEntryId, tokensBefore, details: { by: "pith" } } };
  });

  // pi's own summary is compared with what pith knows.
  pi.on("session_compact", async (event: any, ctx: any) => {
    const of = event.fromExtension ? null : session(ctx);
    if (of) await told("post-compact", { ...of, compact_summary: event.compactionEntry.summary });
  });

  // A session that goes on is checked against the disk.
  pi.on("session_start", async (event: any, ctx: any) => {
    const of = session(ctx);
    owed = "";
    if (!of || !ctx.sessionManager.getBranch().some((e: any) => e.type === "compaction")) return;
    await told("session-start", { ...of, source: "resume" });
  });

  // The person is told once that the context fills up.
  let warned = false;
  pi.on("turn_end", async (_: any, ctx: any) => {
    const percent = ctx.getContextUsage()?.percent ?? 0;
    if (percent >= warnFrom && !warned && ctx.hasUI) ctx.ui.notify(`pith: the context is ${Math.round(percent)} % full`, "warning");
    warned = percent >= warnFrom;
  });

  pi.on("before_agent_start", async () => {
    if (!owed) return undefined;
    const content = owed;
    owed = "";
    return { message: { customType: "pith", content, display: true } };
  });
}
