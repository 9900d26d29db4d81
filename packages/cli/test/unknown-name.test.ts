import { Command } from 'commander'
import { expect, it } from 'vitest'
import { areaNames, areaOf, commandOf, operations, toolNameOf } from '@svc/contract'
import { unknownName } from '../src/unknown-name.js'

/** The command `svc api`, or one of its areas, with its subcommands. */
function listing(area?: string): Command {
  const command = new Command(area ?? 'svc api')
  const names = area ? operations.filter((op) => areaOf(op) === area).map(commandOf) : areaNames
  for (const name of names) command.command(name)
  return command
}

it.each([
  'recordCreate',
  'RecordCreate',
  'record_create',
  'record.create',
  'dns.recordCreate',
  'dns/recordCreate',
  'dns:record-create',
  'dns_record_create',
])('the message for %s has the command to type', (word) => {
  for (const what of ['area', 'operation'] as const)
    expect(unknownName(what, word, listing(what === 'area' ? undefined : 'dns'))).toBe(
      `unknown ${what} ${JSON.stringify(word)}: use svc api dns record-create`,
    )
})

it('the ids and the tool names of all operations lead to their commands', () => {
  for (const op of operations)
    for (const word of [op.id, toolNameOf(op)])
      expect(unknownName('area', word, listing())).toBe(
        `unknown area ${JSON.stringify(word)}: use svc api ${areaOf(op)} ${commandOf(op)}`,
      )
})

it.each([
  ['area', 'dsn', 'did you mean dns?'],
  ['area', 'acount', 'did you mean account?'],
  ['area', 'zone-list', 'use svc api dns zone-list'],
  ['operation', 'rekord-create', 'did you mean record-create?'],
  ['operation', 'list', 'did you mean secondary-list, zone-list, history-list or record-list?'],
  ['operation', 'upload', 'use svc api files upload'],
] as const)('the message for the %s %s ends with "%s"', (what, word, hint) => {
  const message = unknownName(what, word, listing(what === 'area' ? undefined : 'dns'))
  expect(message).toBe(`unknown ${what} ${JSON.stringify(word)}: ${hint}`)
})

it.each(['nowhere', 'q', '', '\u00fc'])('%j is similar to no name', (word) => {
  for (const area of [undefined, 'dns'])
    expect(unknownName('area', word, listing(area))).toBe(`unknown area ${JSON.stringify(word)}`)
})
