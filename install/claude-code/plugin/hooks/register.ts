// What Claude Code's own compaction leaves out stays: pith answers in its
// place, without a request to a model, from the session as it lies on the disk.
// Whatever goes wrong here, the native compaction runs.
import type { ProcessRunResult, Register, SessionMessage, ToolResultSummary } from 'claude-code'

const pith = "pith"

// The longest time that a compaction may wait for pith, in milliseconds.
const patience = 12_000

// What every block of pith's begins with.
const fence = '<pith-memory'

const size = (value: unknown) => (value === undefined ? 0 : typeof value === 'string' ? value.length : JSON.stringify(value).length)

// outline is what pith needs of a message to choose whether it stays: the
// message itself never leaves the session.
const outline = (m: SessionMessage) => {
  const calls = m.toolUses ?? []
  const results = m.toolResults ?? []
  let chars = m.text.length
  for (const c of calls) chars += size(c.tool) + size(c.input)
  for (const r of results) chars += size(r.text)
  return {
    handle: m.handle, role: m.role, chars,
    calls: calls.map(c => c.tool_use_id), results: results.map(r => r.tool_use_id),
    pith: m.text.startsWith(fence),
  }
}

// chosen are the rows that stay, in the order in which they stand.
const chosen = (messages: readonly SessionMessage[], keep: readonly string[]) => {
  const wanted = new Set(keep)
  const rows = messages.filter(m => m.handle !== undefined && wanted.has(m.handle))
  if (rows.length !== wanted.size) throw new Error('pith keeps a message that is not there')
  return rows
}

// thinks tells a row that holds only thinking: it has no words and no calls.
const thinks = (m: SessionMessage) => m.role === 'assistant' && m.text === '' && m.toolUses.length === 0

// budgeted tells the models whose thinking has a budget. Of those the API takes
// results of calls only behind the thinking that the calls began with; of newer
// ones it takes calls without it, and thinking behind another history it may not.
const budgeted = (model: string) => {
  const found = /(?:opus|sonnet|haiku)-4(?:-(\d+))?/.exec(model)
  return /claude-3/.test(model) || (found !== null && (found[1] === undefined || found[1].length >= 8 || Number(found[1]) <= 5))
}

// told is a result as it can be written again. One of an image or a document has
// no text, and would look as if there had been nothing.
const told = (result: ToolResultSummary) =>
  result.text === '' && /"(?:image|document|pdf|base64)"/.test(JSON.stringify(result.result ?? ''))
    ? { ...result, text: '[an image or a document, not carried over by the compaction; call the tool again to see it]' }
    : result

// rounds are rows in the order in which a request has them: the client keeps a
// row for each block, and may have a first result before the last call.
const rounds = (rows: readonly SessionMessage[]) => {
  const out: { said: SessionMessage[], results: ToolResultSummary[], words: SessionMessage[] }[] = []
  const open = new Set<string>()
  for (const m of rows) {
    let last = out[out.length - 1]
    if (m.role === 'assistant') {
      if (last === undefined || (open.size === 0 && (last.results.length > 0 || last.words.length > 0))) {
        last = { said: [], results: [], words: [] }
        out.push(last)
      }
      last.said.push(m)
      for (const use of m.toolUses) open.add(use.tool_use_id)
      continue
    }
    if (last === undefined) {
      last = { said: [], results: [], words: [] }
      out.push(last)
    }
    for (const result of m.toolResults ?? []) {
      if (!open.delete(result.tool_use_id)) throw new Error('pith keeps a result without its call')
      last.results.push(told(result))
    }
    if ((m.toolResults ?? []).length === 0) last.words.push(m)
    else if (m.text !== '') last.words.push({ role: 'user', text: m.text, toolUses: [] })
  }
  if (open.size > 0) throw new Error('pith keeps a call without its result')
  return out
}

// rebuilt are rows to be written again, without their handles: of a result that
// is handed back as it was, the client writes a copy that hangs on rows from
// before the compaction, and a resumed session then has the whole old history
// and no memory. The calls of one answer are one row, and their results the
// next. A person's own words go back as they were, with their images, which
// nothing here can read. Thinking has nothing to be written from, and is left out;
// where it is asked for, what the model said stays as it was, with before in front of it.
const rebuilt = (rows: readonly SessionMessage[], whole: boolean, before: readonly SessionMessage[]) => {
  const out: SessionMessage[] = [...before]
  for (const round of rounds(rows)) {
    const text = round.said.map(m => m.text).filter(t => t !== '').join('\n')
    const toolUses = round.said.flatMap(m => m.toolUses)
    if (whole) out.push(...round.said)
    else if (text !== '' || toolUses.length > 0) out.push({ role: 'assistant', text, toolUses })
    if (round.results.length > 0) out.push({ role: 'user', text: '', toolUses: [], toolResults: round.results })
    out.push(...round.words)
  }
  return out
}

// begun is the thinking with which the chain of calls began that the rows go on
// with, where they themselves do not begin with any.
const begun = (messages: readonly SessionMessage[], rows: readonly SessionMessage[]) => {
  if (rows.length === 0 || rows[0].role !== 'assistant' || thinks(rows[0])) return []
  for (let i = messages.indexOf(rows[0]) - 1; i >= 0; i--) {
    if (thinks(messages[i])) return [messages[i]]
    if (messages[i].role === 'user' && messages[i].text !== '') break
  }
  return []
}

// said is what pith printed, or why it printed nothing.
const said = (ran: ProcessRunResult) => (ran.exitCode === 0 ? ran.stdout : ran.stderr || ran.stdout).trim() || 'pith has nothing to say.'

export const register: Register = on => {
  on('session.compact', async ($, e, next) => {
    if (e.trigger === 'precompute') return { skip: 'pith answers when the time has come' }
    let messages: SessionMessage[] | undefined
    try {
      const { transcriptPath } = await $.session.info()
      const cwd = await $.session.cwd()
      const event = {
        session_id: await $.session.id(), transcript_path: transcriptPath, cwd, trigger: e.trigger,
        agent_id: e.agentId, custom_instructions: e.instructions, messages: e.messages.map(outline),
      }
      const ran = await $.process.run([pith, 'hook', 'session-compact', '--client', 'claude-code'], { cwd, stdin: JSON.stringify(event), timeoutMs: patience })
      if (ran.exitCode === 0 && ran.stdout !== '') {
        const answer = JSON.parse(ran.stdout)
        if (typeof answer.memory !== 'string' || answer.memory === '') throw new Error('pith gave no memory')
        const rows = chosen(e.messages, answer.keep)
        const last = e.messages[e.messages.length - 1]
        const whole = last.role === 'user' && (last.toolResults ?? []).length > 0 && budgeted(await $.session.model())
        messages = [{ role: 'user', text: answer.memory, toolUses: [] }, ...rebuilt(rows, whole, whole ? begun(e.messages, rows) : [])]
        if (answer.notice && e.agentId === undefined) $.ui.toast(answer.notice)
      }
    } catch (error) {
      messages = undefined
    }
    return messages === undefined ? next(e) : { messages }
  })

  // The commands answer by themselves where the client lets them: no turn of
  // the model is spent. Where they do not, the files in commands/ do.
  on('command.run', { command: 'pith:compact' }, async ($, e, next) => {
    // The client compacts between turns only, and this command still holds one.
    $.clock.after(1, () => {
      $.command.run({ command: 'compact', args: e.args }).catch(error => $.ui.log('pith: ' + String(error)))
    })
    return { text: 'pith compacts now.', isTextDisplayOnly: true }
  })

  on('command.run', { command: 'pith:state' }, async ($, e, next) => {
    try {
      const { transcriptPath } = await $.session.info()
      const cwd = await $.session.cwd()
      await $.process.run([pith, 'compact', transcriptPath, '--save', '--force'], { cwd, timeoutMs: patience })
      const ran = await $.process.run([pith, 'show', await $.session.id()], { cwd, timeoutMs: patience })
      return { text: said(ran), isTextDisplayOnly: true }
    } catch (error) {
      return next(e)
    }
  })

  on('command.run', { command: 'pith:recall' }, async ($, e, next) => {
    try {
      const words = e.args.trim()
      if (words === '') return { text: 'Say a reference, a path or words: /pith:recall 9f3a51c0/inspected', isTextDisplayOnly: true }
      const session = ['--session', await $.session.id()]
      const cwd = await $.session.cwd()
      const ways = [...(/\s/.test(words) ? [] : [['--', words], ['--calls', '--', words]]), ['--search', '--', ...words.split(/\s+/)]]
      let last: ProcessRunResult
      for (const way of ways) {
        last = await $.process.run([pith, 'recall', ...session, ...way], { cwd, timeoutMs: patience })
        if (last.exitCode === 0 && last.stdout.trim() !== '') break
      }
      return { text: said(last) }
    } catch (error) {
      return next(e)
    }
  })

  on('command.run', { command: 'pith:pin' }, async ($, e, next) => {
    try {
      const text = e.args.trim()
      if (text === '') return { text: 'Say what to keep: /pith:pin never touch billing/', isTextDisplayOnly: true }
      const { transcriptPath } = await $.session.info()
      const cwd = await $.session.cwd()
      await $.process.run([pith, 'compact', transcriptPath, '--save', '--force'], { cwd, timeoutMs: patience })
      const ran = await $.process.run([pith, 'pin', '--session', await $.session.id(), '--', text], { cwd, timeoutMs: patience })
      return { text: said(ran), isTextDisplayOnly: true }
    } catch (error) {
      return next(e)
    }
  })
}
