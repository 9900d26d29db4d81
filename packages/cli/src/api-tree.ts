import { Command } from 'commander'
import { accessText, byArea, commandOf, implementedOperations, type Operation } from '@svc/contract'
import { addCallOptions, callAndPrint, type CallOptions } from './api-call.js'
import { safeOutput } from './output.js'
import { exampleOf, flagsOf, givenFields, readBody } from './api-flags.js'

/**
 * `svc api <area> <operation>`: a command for each operation.
 * @param operations by default those that the server implements
 */
export function apiTree(operations = implementedOperations): Command {
  const api = listing(new Command('svc api'), 'area')
    .description('Call the API of a server. To list the operations of an area: svc api dns')
    .usage('<area> <operation> [flags]')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput(safeOutput)
  for (const { area, title, description, operations: members } of byArea(operations)) {
    const command = listing(api.command(area), 'operation')
      .summary(description)
      .description(`${title}: ${description}`)
      .usage('<operation> [flags]')
    for (const op of members) addOperation(command, op)
  }
  return api
}

/** A command that prints its help if no subcommand is given. */
const listing = (command: Command, what: string): Command =>
  command.argument('[name...]').action(([name]: string[]) => {
    if (name !== undefined) command.error(`error: unknown ${what} ${JSON.stringify(name)}`)
    command.outputHelp()
  })

function addOperation(area: Command, op: Operation): void {
  const flags = flagsOf(op)
  const command = area
    .command(commandOf(op))
    .summary(op.summary)
    .description(
      [`${op.summary}.`, op.description, `${op.method} ${op.path} (${accessText(op)})`].filter(Boolean).join('\n\n'),
    )
    .addHelpText('after', `\nExample:\n  svc api ${area.name()} ${commandOf(op)}${exampleOf(op)}`)
  for (const option of flags.flatMap(({ options }) => options)) command.addOption(option)
  if (op.body) command.option('--body <file>', 'the JSON body: a file, or - for stdin; flags override its fields')
  addCallOptions(command).action(async (options: CallOptions) => {
    const body = options.body === undefined ? {} : await readBody(options.body, command)
    const input = { ...body, ...givenFields(flags, command) }
    const missing = flags.filter(({ field }) => field.required && input[field.name] === undefined)
    if (missing.length > 0) command.error(`error: missing ${missing.map(({ flag }) => flag).join(', ')}`)
    await callAndPrint(op, input, options, command)
  })
}
