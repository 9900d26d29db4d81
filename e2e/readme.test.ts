import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../test/servers/index.js'
import { blocksOf, sectionOf, type Block } from './markdown-blocks.js'

/** Runs the README's commands in their order and compares their output with the README. */

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')

interface Step {
  readonly command: string
  readonly answer: Block
}

/** Each command of a section with the output that the README shows below it. */
function stepsOf(section: string): Step[] {
  const blocks = blocksOf(sectionOf(readme, section))
  return blocks.flatMap(({ language, text }, index) => {
    const answer = blocks[index + 1]
    if (language !== 'sh') return []
    if (answer === undefined || answer.language === 'sh') throw new Error(`README shows no output of: ${text}`)
    return [{ command: text, answer }]
  })
}

const steps = stepsOf('Quick start')

it('shows the start and the test command of a checkout, and CI runs the same test command', async () => {
  const [start, test] = blocksOf(sectionOf(readme, 'Develop svc')).map(({ text }) => text.trim())
  expect([start, test]).toEqual(['npm ci && npm start', 'npm ci && npm test'])
  const ci = await readFile(join(root, '.ci/run'), 'utf8')
  expect(ci.match(/^npm .*$/gm)?.join(' && ')).toBe(test)
})

describe('the quick start', () => {
  let folder: string
  let shell: ChildProcess
  beforeAll(async () => {
    for (const program of ['curl', 'dig', 'ip']) ensure(program)
    folder = await mkdtemp(join(tmpdir(), 'svc-readme-'))
    shell = await quickStart(folder)
    const [code] = (await once(shell, 'exit')) as [number]
    if (code === 1) throw new Error(`npm start failed: ${await readFile(join(folder, 'server.log'), 'utf8')}`)
  })
  afterAll(async () => {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
    await rm(folder, { recursive: true, maxRetries: 5 })
  })

  it('creates an account and a token, calls the API and queries the nameserver', () => {
    const commands = steps.map(({ command }) => command).join('')
    for (const part of ['svc user add', 'svc token add', '/v1/dns/zones ', 'dig @127.0.0.1']) {
      expect(commands).toContain(part)
    }
    expect(commands.match(/^curl /gm)?.length).toBeGreaterThanOrEqual(5)
  })

  it.each(steps.map(({ command, answer }, index) => [command.trim(), answer, index] as const))(
    'the documented answer is given to: %s',
    async (_, answer, index) => {
      // npm and the progress of an upload are on stderr; a terminal shows a progress bar instead.
      const output = (await readFile(join(folder, `${index}.out`), 'utf8')).replace(
        /^(?:npm (?:warn|notice) |\d.* sent in ).*\n/gm,
        '',
      )
      expect(comparable(answer.language, output, answer.text)).toBe(comparable(answer.language, answer.text))
    },
  )
})

/**
 * Starts the server like the README and runs every step in one shell. The commands use the default ports, so they run in
 * a separate network namespace if the system allows one.
 * @returns the shell; the server belongs to its process group
 */
async function quickStart(folder: string): Promise<ChildProcess> {
  const script = join(folder, 'quick-start.sh')
  const runs = steps.map(({ command }, index) => `{\n${command}} >'${folder}/${index}.out' 2>&1`)
  await writeFile(
    script,
    `[ "$1" = isolated ] && ip link set lo up
npm start >'${folder}/server.log' 2>&1 &
until curl -sf -o '${folder}/ready' http://127.0.0.1:8080/readyz; do kill -0 $! || exit 1; sleep 0.1; done
${runs.join('\n')}
exit 0
`,
  )
  const isolated = isolation()
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
  const args = [...isolated.slice(1), ...(isolated.length > 0 ? ['bash', script, 'isolated'] : [script])]
  return spawn(isolated[0] ?? 'bash', args, {
    cwd: root,
    env: { ...env, SVC_DATA: join(folder, 'data') },
    stdio: 'ignore',
    detached: true,
  })
}

/** The command prefix that creates a network namespace; empty if the system does not allow one. */
function isolation(): string[] {
  // For root, and for a user who may create a user namespace.
  const candidates = [
    ['unshare', '-n'],
    ['unshare', '-rn'],
  ]
  const works = ([program = '', ...args]: string[]) => {
    try {
      execFileSync(program, [...args, 'true'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  return candidates.find(works) ?? []
}

/** Normalizes an output: masks what every run changes (request ids, times, secrets), JSON layout and white space. */
function comparable(language: string, given: string, shown = given): string {
  if (language !== 'json')
    return masked(given)
      .replace(/[ \t]+/g, ' ')
      .trim()
  return masked(JSON.stringify(shortened(JSON.parse(given), JSON.parse(shown)), undefined, 2))
}

const masked = (text: string): string =>
  text
    .replace(/req_[0-9a-f]{16}/g, 'req_…')
    .replace(/svc_[0-9a-f]{32}/g, 'svc_…')
    .replace(/^[\w-]{24}$/gm, '(password)')
    .replace(/(\/s\/)[\w-]{22}\//g, '$1(key)/')
    .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, '(RFC 2822)')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(RFC 3339)')
    .replace(/"\d{4}-\d\d-\d\d"/g, '"(date)"')
    .replace(/"\d\d:\d\d:\d\d"/g, '"(time)"')
    .replace(/("unix(?:_ms)?": )\d+/g, '$1(unix)')

/** Shortens lists like the README: the items from its `…` on are replaced by `…`. */
function shortened(value: unknown, shown: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(shown)) {
    const dots = shown.indexOf('…')
    const items = dots === -1 || value.length <= dots ? value : [...value.slice(0, dots), '…']
    return items.map((item, index) => shortened(item, shown[index]))
  }
  if (!isObject(value) || !isObject(shown)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner, shown[key])]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
