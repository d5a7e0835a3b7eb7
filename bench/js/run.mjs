// Runs the compaction of langchain and of the Vercel AI SDK on conversations:
// each line of standard input is a request, each line of standard output what
// the model would read next. bench/peers.go says what the fields are.
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { setups } from "./setups.mjs";

const versions = {};
for (const name of ["langchain", "@langchain/core", "ai"]) {
  versions[name] = JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
}
versions.node = process.version;

// compact runs one set-up on fresh copies of the messages: what it is given it may change.
async function compact(setup, request) {
  const result = { of: setup.of, nanos: [] };
  if (setup.wantsSummary && !request.summary) {
    result.absent = "it asks a model, and there is no summary of this history";
    return result;
  }
  for (let i = 0; i < Math.max(request.runs ?? 0, 1); i++) {
    const recorded = { summary: request.summary, shown: 0 };
    const messages = setup.convert.to(request.messages);
    const began = process.hrtime.bigint();
    const out = await setup.run(messages, recorded);
    result.nanos.push(Number(process.hrtime.bigint() - began));
    if (recorded.shown) result.shown = recorded.shown;
    if (!request.runs) result.messages = setup.convert.from(out);
  }
  return result;
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (!line.trim()) continue;
  const request = JSON.parse(line);
  const results = [];
  for (const setup of setups) {
    try {
      results.push(await compact(setup, request));
    } catch (err) {
      results.push({ of: setup.of, absent: String(err), nanos: [] });
    }
  }
  process.stdout.write(JSON.stringify({ versions, results }) + "\n");
}
