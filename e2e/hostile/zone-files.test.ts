import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, svc, type Place } from '../../packages/cli/test/svc.js'
import { readZoneFile } from '../../packages/server/src/areas/dns/zone-file/reader.js'
import { readEntries } from '../../packages/server/src/areas/dns/zone-file/lexer.js'
import { ensure } from '../../test/servers/index.js'
import { isLong, random } from './random.js'

/** `svc dns import` reads hostile zone files in bounded time and memory, and separates fields like BIND. */

const bin = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))
const mebibyte = 2 ** 20

let place: Place & AsyncDisposable
beforeAll(async () => {
  place = await emptyPlace()
})
afterAll(() => place[Symbol.asyncDispose]())

/** Size of the large files. The limit is 64 MiB. */
const largeBytes = (isLong ? 63 : 10) * mebibyte

const filled = (line: string, bytes: number): string => line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes)

async function timed<R>(act: () => Promise<R>): Promise<R & { seconds: number }> {
  const start = performance.now()
  return { ...(await act()), seconds: (performance.now() - start) / 1000 }
}

/** Imports with less memory than all tokens of a large file would need. */
const importing = (file: string) =>
  timed(() =>
    svc(['dns', 'import', 'x.example', file], { ...place, env: { NODE_OPTIONS: '--max-old-space-size=400' } }),
  )

describe('more than 64 MiB', () => {
  const refusal = { code: 1, stdout: '', stderr: 'svc: The file is larger than 64 MiB. Nothing was imported.\n' }

  it('more than 64 MiB in a file are refused before reading', async () => {
    const file = await open(join(place.cwd, 'large.zone'), 'w')
    await file.truncate(100 * 1024 * mebibyte)
    await file.close()
    const { seconds, ...result } = await importing('large.zone')
    expect(result).toEqual(refusal)
    expect(seconds).toBeLessThan(5)
  })

  it('more than 64 MiB from a device or stdin are refused once 64 MiB have been read', async () => {
    const { seconds, ...result } = await importing('/dev/zero')
    expect(result).toEqual(refusal)
    expect(seconds).toBeLessThan(15)
    const zero = await open('/dev/zero')
    const child = spawn(process.execPath, [bin, 'dns', 'import', 'x.example'], {
      cwd: place.cwd,
      stdio: [zero.fd, 'pipe', 'pipe'],
    })
    const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')])
    await zero.close()
    expect({ code: child.exitCode, stdout, stderr }).toEqual(refusal)
  })

  it('63 MiB of escapes in one record are rejected without a stack overflow', async () => {
    await writeFile(join(place.cwd, 'escapes.zone'), `@ TXT "${filled('\\"', 63 * mebibyte)}"`)
    const { code, stderr, seconds } = await importing('escapes.zone')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^svc: line 1: has \d+ characters, more than/),
    })
    expect(seconds).toBeLessThan(15)
  })
})

it.each([
  ['garbage', 'garbage in every line of it\n'],
  ['one record many times', 'a A 192.0.2.1\n'],
  ['SOA records, which are skipped', '@ SOA a b 1 2 3 4 5\n'],
  ['directives', '$ORIGIN a\n'],
  ['open parentheses', '(\n'],
  ['a record without an end', '"" '],
  ['empty lines', '\n'],
  ['lines of 150,000 escapes', `@ TXT "${'\\a'.repeat(150_000)}"\n`],
])('the import of a large file of %s ends within seconds', async (_what, line) => {
  await writeFile(join(place.cwd, 'wide.zone'), filled(line, largeBytes))
  const { code, stdout, stderr, seconds } = await importing('wide.zone')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^svc: (lines? \d|The file has no records)/m)
  expect(stderr.length).toBeLessThan(10_000)
  expect(seconds).toBeLessThan(20)
})

it('reading stops at the first record beyond the limit of the zone', async () => {
  // At most 23 bytes each.
  const lines = Array.from({ length: largeBytes / 23 }, (_, n) => `h${n} A 192.0.2.1\n`).join('')
  await writeFile(join(place.cwd, 'many.zone'), lines)
  const { stderr, seconds } = await importing('many.zone')
  expect(stderr).toContain("line 10001: exceeds the zone's limit of 10000 records. The rest of the file was not read.")
  expect(seconds).toBeLessThan(20)
})

it('the same characters separate fields as in BIND', async () => {
  const characters = [
    ' ',
    '\t',
    '\f',
    '\v',
    '\u0085',
    '\u00a0',
    '\u1680',
    '\u2003',
    '\u2028',
    '\u3000',
    '\ufeff',
    '\u007f',
    '\u0001',
  ]
  const lines = characters.map((character, n) => `u${n} TXT a${character}b`)
  const file = join(place.cwd, 'blanks.zone')
  await writeFile(file, ['$TTL 60', '@ SOA a. b. 1 2 3 4 5', '@ NS ns.', ...lines, ''].join('\n'))
  const { stdout } = await promisify(execFile)(ensure('named-checkzone'), ['-D', '-i', 'none', 'x.example', file])
  const dumped = new Map(
    Array.from(stdout.matchAll(/^u(\d+)\.x\.example\.\s.*\sTXT\s+(".*)$/gm), ([, n, data]) => [Number(n), data]),
  )
  const bySvc = Array.from(readEntries(lines.join('\n')), (entry) =>
    entry !== undefined && 'tokens' in entry ? entry.tokens.length - 2 : 0,
  )
  const byBind = characters.map((_, n) => (dumped.get(n)?.match(/" "/) === null ? 1 : 2))
  expect(dumped.size).toBe(characters.length)
  expect(bySvc).toEqual(byBind)
})

it('random files are read to the end, and every problem has an existing line number', () => {
  const { integer, pick } = random('zone files')
  const pieces = [
    ...Array.from('()";\\\n\r\t @$*.019azAZ\0\f\v\u00a0\u2028\u{1f389}'),
    ...[
      '\r\n',
      '$TTL',
      '$ORIGIN',
      'www',
      'IN',
      'CH',
      '300',
      '1h',
      'A',
      'TXT',
      'MX',
      'CAA',
      'SRV',
      'SOA',
      '192.0.2.1',
      '\\065',
      '\\"',
      '\ud800',
    ],
  ]
  for (let round = 0; round < (isLong ? 500_000 : 5_000); round += 1) {
    const file = Array.from({ length: integer(0, 60) }, () => pick(pieces) + (integer(0, 2) === 0 ? ' ' : '')).join('')
    const { problems, notes, records } = readZoneFile('example.com', file, { recordsMax: 10 })
    const count = file.split('\n').length
    for (const { line, text: message } of [...problems, ...notes]) {
      expect(line).toBeLessThanOrEqual(count)
      expect(message.length).toBeLessThan(500)
    }
    expect(records.length).toBeLessThanOrEqual(11)
  }
})
