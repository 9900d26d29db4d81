import { Command } from 'commander'
import { accessText, byArea, commandOf, isEventStream, operations, type Operation } from '@svc/contract'
import { contentField, fieldsOfFile, runAction, takesFile, takesFiles, type ActionOptions } from './api-action.js'
import { addConnectionOptions } from './api-connection.js'
import { exampleOf, fileExampleOf, flagOf, flagsOf, givenFields, readBody, type Flag } from './api-flags.js'
import { safeOutput } from './output.js'
import { isSite } from './transfer/large-file.js'
import { addPublishOptions, isPublish } from './publish-options.js'
import { unknownName } from './unknown-name.js'
import { addVerifyOptions, isZoneVerify } from './zone-verify.js'

/** `svc api <area> <operation>`: a command for each operation. */
export function apiTree(): Command {
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
const listing = (command: Command, what: 'area' | 'operation'): Command =>
  command
    .argument('[name...]')
    // So that an unknown name is reported before its flags.
    .allowUnknownOption()
    .action(() => {
      const [name] = command.args
      if (name !== undefined) command.error(`error: ${unknownName(what, name, command)}`)
      command.outputHelp()
    })

function addOperation(area: Command, op: Operation): void {
  const replacedByFile = takesFile(op) ? fieldsOfFile(op) : []
  const flags = flagsOf(op, replacedByFile)
  const command = area
    .command(commandOf(op))
    .summary(op.summary)
    .description(
      [`${op.summary}.`, op.description, `${op.method} ${op.path} (${accessText(op)})`].filter(Boolean).join('\n\n'),
    )
    .addHelpText('after', `\n${examplesText(op, `svc api ${area.name()} ${commandOf(op)}`)}`)
  for (const option of flags.flatMap(({ options }) => options)) command.addOption(option)
  if (op.body) command.option('--body <file>', 'the JSON body: a file, or - for stdin; flags override its fields')
  const replaced = replacedByFile.map(flagOf).join(' and ')
  if (takesFiles(op)) command.argument('[FILE...]', `the files to send; replace ${replaced}`).usage('FILE... [flags]')
  else if (isSite(op))
    command.argument('[DIR]', `the folder or zip to deploy, or - for stdin; replaces ${replaced}`).usage('DIR [flags]')
  else if (takesFile(op))
    command.argument('[FILE]', `the file to send, or - for stdin; replaces ${replaced}`).usage('FILE [flags]')
  if (op.kind === 'stream' && !isEventStream(op)) addOutputOptions(command)
  if (isZoneVerify(op)) addVerifyOptions(command)
  if (isPublish(op)) addPublishOptions(command)
  addConnectionOptions(command).action(() => act(op, flags, command))
}

const addOutputOptions = (command: Command): Command =>
  command
    .option('-o, --output <file>', 'write to a file, or to a folder under the name of the download; - for stdout')
    .option('--force', 'replace an existing file')

async function act(op: Operation, flags: readonly Flag[], command: Command): Promise<void> {
  const options = command.opts<ActionOptions>()
  const files = takesFile(op) ? command.args : []
  const body = options.body === undefined ? {} : await readBody(options.body, command)
  const typed = givenFields(flags, command)
  const input = { ...body, ...typed }
  const ofFile = files.length === 0 ? [] : fieldsOfFile(op)
  const missing = flags.filter(
    ({ field }) => field.required && input[field.name] === undefined && !ofFile.includes(field.name),
  )
  if (missing.length > 0) command.error(`error: missing ${missing.map(({ flag }) => flag).join(', ')}`)
  const replaced = contentField(op)
  if (files.length > 0 && replaced !== undefined && input[replaced] !== undefined)
    command.error(`error: ${flagOf(replaced)} and a file cannot be combined`)
  const isFlag = (name: string) => name in typed || !(name in body || ofFile.includes(name))
  const flagNames = flags.flatMap(({ field, flag }) => (isFlag(field.name) ? [[field.name, flag] as const] : []))
  await runAction(op, { input, files, flags: new Map(flagNames) }, options, command)
}

function examplesText(op: Operation, command: string): string {
  const withFlags = `${command}${exampleOf(op)}`
  return takesFile(op)
    ? `Examples:\n  ${command}${fileExampleOf(op, fieldsOfFile(op))}\n  ${withFlags}`
    : `Example:\n  ${withFlags}`
}
