import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const sources = new URL('.', import.meta.url).href

/** Runs a program that logs. @returns its lines on stdout, and its exit code */
async function logged(program: string) {
  const prelude = `import { createLogger } from '${sources}log.ts'; import { endOnBugs } from '${sources}signals.ts'
    const { log, flush } = createLogger('info'); endOnBugs(log, flush);`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', prelude + program]
  const { stdout, code } = await promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (failure: unknown) => failure as { stdout: string; code: number },
  )
  return {
    code,
    lines: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)

it('writes JSON with the name of the level and the time in ISO form, also at exit', async () => {
  expect(await logged(`log.info({ url: 'x' }, 'listening'); log.debug('not this'); process.exit(0)`)).toEqual({
    code: 0,
    lines: [{ level: 'info', time, url: 'x', msg: 'listening' }],
  })
})

it('escapes characters that control a terminal, without changing the parsed text', async () => {
  const hostile = String.raw`\u001b[2J\u009b\u202e\u200b\u2028`
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--import', 'tsx', '--input-type=module', '--eval'],
    `import { createLogger } from '${sources}log.ts'; createLogger('info').log.info({ err: new Error("${hostile}") }, "${hostile}")`,
  ])
  expect(stdout).toMatch(/^[ -~]+\n$/)
  expect(JSON.parse(stdout).msg).toBe(JSON.parse(`"${hostile}"`))
})

it('writes the cause of an error', async () => {
  const { lines } = await logged(`log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')`)
  expect(lines[0].err).toMatchObject({ message: 'outer', stack: expect.any(String), cause: { message: 'inner' } })
})

it.each([
  [`setImmediate(() => { throw new Error('bug') }); setInterval(() => {}, 1000)`, 'uncaught exception'],
  [`void Promise.reject(new Error('bug')); setInterval(() => {}, 1000)`, 'unhandled rejection'],
])('logs a bug with its error and ends the process with exit code 1: %s', async (program, msg) => {
  expect(await logged(program)).toEqual({
    code: 1,
    lines: [{ level: 'fatal', time, err: expect.objectContaining({ message: 'bug' }), msg }],
  })
})
