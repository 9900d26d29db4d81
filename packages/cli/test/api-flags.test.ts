import { execFileSync } from 'node:child_process'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { operations, type Operation } from '@svc/contract'
import { exampleOf, flagsOf, givenFields } from '../src/api-flags.js'
import { apiTree } from '../src/api-tree.js'

/** Parses the words of a command line to the input of an operation. */
function parsed(op: Operation, words: readonly string[]) {
  const flags = flagsOf(op)
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  for (const option of flags.flatMap(({ options }) => options)) command.addOption(option)
  command.parse([...words], { from: 'user' })
  return givenFields(flags, command)
}

/** The words of a line after a shell has parsed it. */
const shellWords = (line: string): string[] =>
  execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

describe('the example of an operation', () => {
  it.each(operations.map((op) => [op.id, op] as const))(
    'the example of %s, pasted into a shell, is parsed to its input',
    (_id, op) => {
      const { params, query, body } = op.example
      expect(parsed(op, shellWords(exampleOf(op)))).toEqual({ ...params, ...query, ...body })
    },
  )
})

it('no flag of an operation conflicts with the common flags', () => {
  // Commander throws if a flag already exists.
  expect(() => apiTree()).not.toThrow()
})

const find = (id: string): Operation => {
  const op = operations.find((candidate) => candidate.id === id)
  return op ?? expect.fail(`${id} is not declared`)
}

describe('flags', () => {
  it.each([
    [['--shared'], { shared: true }],
    [['--shared', 'true'], { shared: true }],
    [['--shared', 'false'], { shared: false }],
    [['--no-shared'], { shared: false }],
    [['--shared', '--no-shared'], { shared: false }],
    [[], {}],
  ])('a boolean flag is parsed: %j', (words, input) => expect(parsed(find('files.upload'), words)).toEqual(input))

  it.each([
    [['--target', 'https://example.com/'], { target: 'https://example.com/' }],
    [['--no-target'], { target: null }],
    [[], {}],
  ])('a flag with --no- is null where a field may be null: %j', (words, input) =>
    expect(parsed(find('deployments.update'), words)).toEqual(input),
  )

  it('the help of a field that may be null names the flag for null', () => {
    const [target] = flagsOf(find('deployments.update')).flatMap(({ field, options }) =>
      field.name === 'target' ? options : [],
    )
    expect([target?.flags, target?.description]).toEqual([
      '--target <text>',
      expect.stringMatching(/forwards \(--no-target for null\)$/),
    ])
  })

  it('a list is a repeated flag', () => {
    const words = ['--artifacts', '{"name":"a"}', '--artifacts', '{"name":"b"}']
    expect(parsed(find('packages.publish'), words)).toEqual({ artifacts: [{ name: 'a' }, { name: 'b' }] })
  })

  it('values may be empty, begin with a dash, or be negative', () => {
    const words = ['--host', '', '--value', '-x', '--priority', '-1']
    expect(parsed(find('dns.recordCreate'), words)).toEqual({ host: '', value: '-x', priority: -1 })
  })

  it.each(['1e3', '', ' ', '0x10', '12345678901234567890'])('%j is not an integer', (given) => {
    expect(() => parsed(find('files.list'), [`--limit=${given}`])).toThrow('It must be an integer.')
  })

  it('names are in kebab case', () => {
    const names = flagsOf(find('files.uploadChunk')).map(({ flag }) => flag)
    expect(names).toEqual(['--upload-id', '--index', '--content', '--size'])
  })
})
