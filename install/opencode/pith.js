// pith in opencode: once a session is about to fill its window, the oldest part
// of what is sent is replaced by pith's memory of it. What opencode itself keeps
// of the session is left alone. Whatever goes wrong here, the request goes out
// as opencode made it, and opencode compacts as it does without this file.
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

const pith = "__PITH__"

// How long pith may take. Units: ms.
const patience = 5000
// The part of the window from which on the history is replaced, and how much of
// a window has to be new before it is replaced again: each time costs the cache.
const full = 0.7
const step = 0.1
// Units: characters for a token, roughly; and those of an attached file.
const perToken = 4
const attachment = 6000
// The newest message of the user stays beside a part of its turn up to this
// size. Units: characters.
const longPrompt = 20000

// memoryPart is the id of the part that holds the memory.
const memoryPart = "prt_pith"

// ask gives pith an event, and gives back its answer, null for none.
function ask(event, input) {
  return new Promise((resolve) => {
    let out = ""
    const child = spawn(pith, ["hook", event, "--client", "opencode"], { stdio: ["pipe", "pipe", "ignore"], cwd: homedir() })
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      resolve(null)
    }, patience)
    child.on("error", () => {
      clearTimeout(late)
      resolve(null)
    })
    child.on("close", () => {
      clearTimeout(late)
      try {
        resolve(JSON.parse(out))
      } catch {
        resolve(null)
      }
    })
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text))
    child.stdin.on("error", () => {}) // a pith that is gone has no answer either
    child.stdin.end(JSON.stringify(input))
  })
}

// What is placed in a session is kept in a file beside pith's own, so that an
// opencode that is started again sends the same bytes. "pith forget" removes it.
function file(session) {
  const home = { darwin: "Library/Application Support", win32: "AppData/Local" }[process.platform] ?? ".local/share"
  const named = process.env.XDG_DATA_HOME ?? ""
  const local = process.platform === "win32" ? process.env.LocalAppData : ""
  const data = isAbsolute(named) ? named : local || join(homedir(), home)
  return join(data, "pith", "hooks", "opencode", session.replace(/[^A-Za-z0-9_-]/g, "_") + ".json")
}

// load reads what is placed, and the memory that waits for opencode's own
// compaction to end.
function load(session) {
  try {
    const { version, placed, native } = JSON.parse(readFileSync(file(session), "utf8"))
    if (version === 1) return { placed: placed ?? null, native: native ?? null, asked: 0 }
  } catch {
    // none yet, or none that can be read
  }
  return { placed: null, native: null, asked: 0 }
}

function save(session, { placed, native }) {
  try {
    const path = file(session)
    mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 })
    writeFileSync(path + ".new", JSON.stringify({ version: 1, placed, native }), { mode: 0o600 })
    renameSync(path + ".new", path)
  } catch {
    // without the file a later opencode compacts once more
  }
}

// resultChars is the length of what a tool gave back, as opencode sends it.
function resultChars(state) {
  return state.time?.compacted ? 40 : (state.output ?? state.error ?? "").length
}

// chars is the length of what a message says, asks of tools and got from them.
function chars(message) {
  let n = 0
  for (const p of message.parts) {
    if (p.type === "text" || p.type === "reasoning") n += p.text?.length ?? 0
    else if (p.type === "file") n += attachment
    else if (p.type === "tool") n += JSON.stringify(p.state.input ?? {}).length + resultChars(p.state)
  }
  return n
}

// outline describes a message to pith, in the one or two messages that the
// model sees in its place: opencode keeps a call and its result together.
function outline(message) {
  const tools = message.parts.filter((p) => p.type === "tool")
  const results = tools.reduce((n, p) => n + resultChars(p.state), 0)
  const { id, role } = message.info
  const said = { handle: id, role, chars: chars(message) - results, calls: tools.map((p) => p.callID), results: [], pith: message.parts[0]?.id === memoryPart }
  if (!tools.length) return [said]
  return [said, { handle: id, role: "user", chars: results, calls: [], results: said.calls, pith: false }]
}

// after tells which messages a placement does not know: those behind its last.
// Null where the session is no longer the one that it was made for.
function after(list, placed) {
  const at = list.findIndex((m) => m.info.id === placed.last)
  if (at < 0) return null
  const there = new Set(list.slice(0, at + 1).map((m) => m.info.id))
  return placed.keep.every((id) => there.has(id)) ? list.slice(at + 1) : null
}

// remembering is a message of the user that holds the memory; where a message
// of the user is the next one, the memory is the first of its parts.
function remembering(next, memory, session, like) {
  const own = next?.info.role === "user"
  const info = own ? next.info : { ...like.info, id: "msg_pith" }
  const part = { id: memoryPart, sessionID: session, messageID: info.id, type: "text", text: memory, synthetic: true }
  return { info, parts: own ? [part, ...next.parts] : [part] }
}

// apply is the list that is sent: the memory, what was kept, what is newer.
function apply(list, placed, session) {
  const newer = after(list, placed)
  if (!newer) return null
  const keep = new Set(placed.keep)
  const rest = [...list.filter((m) => keep.has(m.info.id)), ...newer]
  const like = list.findLast((m) => m.info.role === "user")
  if (!like || !rest.length) return null
  const first = remembering(rest[0], placed.memory, session, like)
  return [first, ...(rest[0].info.role === "user" ? rest.slice(1) : rest)]
}

// head is what opencode summarises of a list: what the model was still sent.
// opencode's ids grow with time.
function head(list, placed, memory, session) {
  const keep = new Set(placed.keep)
  const rest = list.filter((m) => keep.has(m.info.id) || m.info.id > placed.last)
  const like = list.findLast((m) => m.info.role === "user")
  if (!memory || !like) return rest
  return [remembering(null, memory, session, like), ...rest]
}

// kept is what stays of a list: its end, from the first message that pith
// wants on, never without the last, and with what the user said last.
function kept(list, wanted) {
  const handles = new Set(wanted)
  let at = list.findIndex((m) => handles.has(m.info.id))
  if (at < 0) at = list.length - 1
  const tail = list.slice(at)
  if (!tail.some((m) => m.info.role === "user")) {
    const said = list.slice(0, at).findLast((m) => m.info.role === "user")
    if (said && chars(said) <= longPrompt) tail.unshift(said)
  }
  return tail.map((m) => m.info.id)
}

// total is how many tokens a list looks like.
function total(list) {
  return list.reduce((n, m) => n + chars(m), 0) / perToken
}

// used is how many tokens the next request holds: as the provider counted the
// last one and what came since; no less than what the list looks like. A count
// from before the memory was placed tells no more than what is sent besides.
function used(list, placed) {
  const last = list.findLastIndex((m) => m.info.role === "assistant" && m.info.finish && !m.info.summary)
  if (last < 0) return total(list)
  if (placed && !(list[last].info.id > placed.last)) return placed.besides + total(list)
  const t = list[last].info.tokens
  let counted = t.total || t.input + t.output + t.cache.read + t.cache.write
  for (const p of list[last].parts) if (p.type === "tool") counted += resultChars(p.state) / perToken
  return Math.max(counted + total(list.slice(last + 1)), total(list))
}

// limit is the number of tokens from which on the history is replaced: before
// opencode would do it. 0 for a model of unknown size.
function limit(model) {
  const window = model?.limit?.context ?? 0
  const native = (model?.limit?.input || window) - Math.min(model?.limit?.output || 32000, 32000)
  return native > 0 ? Math.min(window * full, native * 0.9) : window * full
}

export const Pith = async ({ client, directory }) => {
  const sessions = new Map()
  const models = new Map()

  function known(session) {
    let s = sessions.get(session)
    if (!s) sessions.set(session, (s = load(session)))
    return s
  }

  async function modelOf(list) {
    const info = list.findLast((m) => m.info.role === "user")?.info
    const { providerID, modelID } = info?.model ?? {}
    const key = providerID + "/" + modelID
    if (!models.has(key)) {
      const got = await client.config.providers()
      models.set(key, got.data?.providers.find((p) => p.id === providerID)?.models[modelID])
    }
    return models.get(key)
  }

  // compact asks pith for the memory of the whole session. The list is what
  // would be sent now.
  async function compact(session, list, trigger) {
    const model = await modelOf(list).catch(() => null)
    const [info, messages] = await Promise.all([
      client.session.get({ path: { id: session } }),
      client.session.messages({ path: { id: session } }),
    ])
    if (!info.data || !messages.data) return null
    const answer = await ask("session-compact", {
      session_id: session,
      cwd: info.data.directory ?? directory,
      trigger,
      window: model?.limit?.context ?? 0,
      export: { info: info.data, messages: messages.data.map(slim) },
      messages: list.flatMap(outline),
    })
    return typeof answer?.memory === "string" && answer.memory !== "" ? answer : null
  }

  // place replaces the history where it is time to; gives the list to send.
  async function place(session, list) {
    const s = known(session)
    if (s.native) adopt(session, s, list)
    const sent = s.placed ? apply(list, s.placed, session) : null
    if (s.placed && !sent) s.placed = null
    const now = sent ?? list
    const model = await modelOf(list)
    const size = used(now, s.placed)
    if (!limit(model) || size < limit(model) || size < s.asked + step * model.limit.context) return now
    const answer = await compact(session, now, "auto")
    s.asked = size // whatever the answer: not again at once
    if (!answer) return now
    const placed = { memory: answer.memory, keep: kept(list, answer.keep ?? []), last: list.at(-1).info.id, besides: Math.max(0, size - total(now)) }
    const shorter = apply(list, placed, session)
    if (!shorter || total(shorter) >= total(now)) return now
    s.placed = placed
    s.asked = used(shorter, placed)
    save(session, s)
    return shorter
  }

  // adopt puts the memory in front of what opencode's own compaction left.
  function adopt(session, s, list) {
    const summary = list.findLast((m) => m.info.role === "assistant" && m.info.summary && m.info.finish && !m.info.error)
    if (!summary || !(summary.info.id > s.native.last)) return
    s.placed = { memory: s.native.memory, keep: list.map((m) => m.info.id), last: list.at(-1).info.id, besides: 0 }
    s.native = null
    s.asked = 0
    save(session, s)
  }

  return {
    "experimental.chat.messages.transform": async (_, output) => {
      try {
        const list = output.messages
        const session = list[0]?.info.sessionID
        if (!session) return
        const s = known(session)
        if (s.head) {
          // the history that opencode is about to summarise
          s.head = false
          if (s.placed) list.splice(0, list.length, ...head(list, s.placed, s.native ? "" : s.placed.memory, session))
          return
        }
        const sent = await place(session, list)
        if (sent !== list) list.splice(0, list.length, ...sent)
      } catch {
        // as opencode made it
      }
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      try {
        const s = known(sessionID)
        s.head = true
        s.native = null
        s.waits = false
        const all = (await client.session.messages({ path: { id: sessionID } })).data
        const answer = await compact(sessionID, all, "manual")
        if (!answer) return
        const said = all.findLast((m) => m.info.role === "assistant" && m.info.finish)
        s.waits = answer.waits === true && said?.info.finish !== "tool-calls"
        s.native = { memory: answer.memory, last: all.at(-1).info.id }
        save(sessionID, s)
        output.context.push("What is known for certain of the session so far is below; it will stand before your summary, so say nothing that contradicts it.\n\n" + answer.memory)
      } catch {
        // as opencode does it
      }
    },
    "experimental.compaction.autocontinue": async ({ sessionID }, output) => {
      if (sessions.get(sessionID)?.waits) output.enabled = false
    },
  }
}

// slim leaves out attached files, of which pith reads no more than that they
// were there.
function slim(message) {
  const parts = message.parts.map((p) => {
    if (p.type === "file" && p.url?.startsWith("data:")) return { ...p, url: p.url.slice(0, 200) }
    return p
  })
  return { info: message.info, parts }
}
