import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../test/servers/index.js'

/** The README is held to its word: its commands run as pasted, in its order, and answer what it shows. */

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')

interface Block {
  readonly language: string
  readonly text: string
}

const blocksOf = (markdown: string): Block[] =>
  Array.from(markdown.matchAll(/^```(\w+)\n([^]*?)^```$/gm), ([, language = '', text = '']) => ({ language, text }))

interface Step {
  readonly command: string
  readonly answer: Block
}

/** Each command with the answer that is shown below it. */
function stepsOf(section: string): Step[] {
  const blocks = blocksOf(readme.split(/^## /m).find((text) => text.startsWith(`${section}\n`)) ?? '')
  return blocks.flatMap(({ language, text }, index) => {
    const answer = blocks[index + 1]
    if (language !== 'sh') return []
    if (answer === undefined || answer.language === 'sh') throw new Error(`README shows no answer to: ${text}`)
    return [{ command: text, answer }]
  })
}

const steps = stepsOf('Quick start')

it('opens with the two commands, of which the second one is what CI runs', async () => {
  const [start, test] = blocksOf(readme).map(({ text }) => text.trim())
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

  it('makes an account and a token, calls the API and asks the nameserver', () => {
    const commands = steps.map(({ command }) => command).join('')
    for (const part of ['svc user add', 'svc token add', '/v1/dns/zones ', 'dig @127.0.0.1']) {
      expect(commands).toContain(part)
    }
    expect(commands.match(/^curl /gm)?.length).toBeGreaterThanOrEqual(5)
  })

  it.each(steps.map(({ command, answer }, index) => [command.trim(), answer, index] as const))(
    '%s',
    async (_, answer, index) => {
      const output = (await readFile(join(folder, `${index}.out`), 'utf8')).replace(/^npm (warn|notice).*\n/gm, '')
      expect(comparable(answer.language, output, answer.text)).toBe(comparable(answer.language, answer.text))
    },
  )
})

/**
 * Starts the server as the README does and runs every step in one shell beside it. The commands name the usual ports, so
 * they run in a network of their own wherever the system lets us make one.
 * @returns the shell, whose process group the server belongs to
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

/** What a command is put behind to run in a network of its own; nothing where that is not allowed. */
function isolation(): string[] {
  // As root, and as a user who may have a user namespace.
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

/** Without what is new at every run: ids of requests, times, secrets. JSON in one form, white space aside. */
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
    .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, '(RFC 2822)')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(RFC 3339)')
    .replace(/"\d{4}-\d\d-\d\d"/g, '"(date)"')
    .replace(/"\d\d:\d\d:\d\d"/g, '"(time)"')
    .replace(/("unix(?:_ms)?": )\d+/g, '$1(unix)')

/** Leaves out of lists what the README leaves out: whatever comes where it has dots. */
function shortened(value: unknown, shown: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(shown)) {
    const dots = shown.indexOf('…')
    const kept = dots === -1 || value.length <= dots ? value : [...value.slice(0, dots), '…']
    return kept.map((item, index) => shortened(item, shown[index]))
  }
  if (!isObject(value) || !isObject(shown)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner, shown[key])]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
