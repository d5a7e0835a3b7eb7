// What Claude Code's own compaction leaves out stays: pith answers in its
// place, without a request to a model, from the session as it lies on the disk.
// Whatever goes wrong here, the native compaction runs.
import type { ProcessRunResult, Register, SessionMessage } from 'claude-code'

const pith = "__PITH__"

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

// rebuilt are rows to be written again, without their handles: of a row that is
// handed back as it was, the client writes a copy that hangs on rows from before
// the compaction, and a resumed session then has the whole old history and no
// memory. The client keeps a row for each block; here the calls of one answer
// are one row, and their results the next. Thinking has nothing to be written
// from, and is left out.
const rebuilt = (rows: readonly SessionMessage[]) => {
  const out: SessionMessage[] = []
  const open = new Set<string>()
  let calls: SessionMessage | undefined
  let results: SessionMessage | undefined
  for (const m of rows) {
    const answered = m.toolResults ?? []
    if (m.role === 'assistant') {
      if (calls === undefined || (open.size === 0 && out[out.length - 1] !== results) || (open.size === 0 && results.toolResults.length > 0)) {
        calls = { role: 'assistant', text: '', toolUses: [] }
        results = { role: 'user', text: '', toolUses: [], toolResults: [] }
        out.push(calls, results)
      }
      calls.text += (calls.text !== '' && m.text !== '' ? '\n' : '') + m.text
      for (const use of m.toolUses) {
        calls.toolUses.push(use)
        open.add(use.tool_use_id)
      }
      continue
    }
    for (const result of answered) {
      if (!open.delete(result.tool_use_id)) throw new Error('pith keeps a result without its call')
      results.toolResults.push(result)
    }
    if (m.text !== '') out.push({ role: 'user', text: m.text, toolUses: [] })
  }
  if (open.size > 0) throw new Error('pith keeps a call without its result')
  return out.filter(m => m.text !== '' || m.toolUses.length > 0 || (m.toolResults ?? []).length > 0)
}

// said is what pith printed, or why it printed nothing.
const said = (ran: ProcessRunResult) => (ran.exitCode === 0 ? ran.stdout : ran.stderr || ran.stdout).trim() || 'pith has nothing to say.'

// dashed puts a person's words behind the end of the flags.
const dashed = (way: readonly string[]) => (way[0].startsWith('--') ? [way[0], '--', ...way.slice(1)] : ['--', ...way])

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
        messages = [{ role: 'user', text: answer.memory, toolUses: [] }, ...rebuilt(chosen(e.messages, answer.keep))]
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
      const ways = [...(/\s/.test(words) ? [] : [[words], ['--calls', words]]), ['--search', ...words.split(/\s+/)]]
      let last: ProcessRunResult
      for (const way of ways) {
        last = await $.process.run([pith, 'recall', ...session, ...dashed(way)], { cwd, timeoutMs: patience })
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
