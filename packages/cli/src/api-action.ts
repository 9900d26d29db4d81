import type { Command } from 'commander'
import { isEventStream, type Operation } from '@svc/contract'
import { rawTypeOf, type Answer } from '@svc/client'
import { callAndPrint, contentOf } from './api-call.js'
import type { Connection, ConnectionOptions } from './api-connection.js'
import type { FlagNames } from './api-errors.js'
import { readLimited, readText } from './api-flags.js'
import type { Content } from './output.js'
import { isSentInParts, isSite } from './transfer/large-file.js'
import type { PublishOptions } from './publish-options.js'
import { isZoneVerify, verifyContent, type VerifyOptions } from './zone-verify.js'

/** The flags of a command beside those of the fields. */
export interface ActionOptions extends ConnectionOptions, VerifyOptions, PublishOptions {
  /** File of a JSON body. */
  readonly body?: string
  /** File or folder for the bytes of a stream. */
  readonly output?: string
  readonly force?: true
}

/** The input of a call from a command line. */
export interface Given {
  readonly input: Readonly<Record<string, unknown>>
  /** The files to send; `-` for stdin. More than one only for an operation with a list of files. */
  readonly files: readonly string[]
  /** The flags of the fields that are not in `--body` or a file. */
  readonly flags: FlagNames
}

/** Whether the command takes several files, which are sent as a form instead of a list. */
export const takesFiles = (op: Operation): boolean => op.bytes?.each !== undefined

/** Whether the command takes a file, or several, whose contents are sent instead of a field. */
export const takesFile = (op: Operation): boolean =>
  isSentInParts(op) || rawTypeOf(op) !== undefined || takesFiles(op) || op.fileText !== undefined

/** The field that the contents of a file replace. */
export const contentField = (op: Operation): string | undefined => op.bytes?.field ?? op.fileText

/** The fields that a file replaces: its bytes and, if it is sent in parts or a site, its name. */
export const fieldsOfFile = (op: Operation): string[] =>
  [contentField(op), isSentInParts(op) ? op.bytes?.name : isSite(op) ? 'name' : undefined].filter(
    (name) => name !== undefined,
  )

/** Runs the operation of a command, prints the answer or the error, and sets the exit code. */
export const runAction = (op: Operation, given: Given, options: ActionOptions, command: Command): Promise<void> =>
  callAndPrint({ op, flags: given.flags, options, command }, async (connection) => {
    if (isEventStream(op)) return events(op, given, connection)
    if (op.kind === 'stream') return stream(op, given, options, connection)
    const answer = await answerOf(op, given, { ...connection, ifAbsent: options.ifAbsent }, command)
    return isZoneVerify(op) ? verifyContent(answer, options) : contentOf(answer, options.raw)
  })

async function answerOf(
  op: Operation,
  { input, files }: Given,
  { ifAbsent, ...connection }: Connection & { readonly ifAbsent: true | undefined },
  command: Command,
): Promise<Answer> {
  const [file] = files
  if (ifAbsent && file === undefined) command.error('error: --if-absent compares files: name them')
  if (file === undefined) return connection.call(op, input)
  if (ifAbsent) {
    const { publishIfAbsent } = await import('./transfer/publish-if-absent.js')
    return publishIfAbsent(connection.call, input, files)
  }
  if (op.fileText !== undefined)
    return connection.call(op, { ...input, [op.fileText]: await readText(file, 'the file', command) })
  if (takesFiles(op)) {
    const { sendForm } = await import('./transfer/send-form.js')
    return sendForm(connection.call, op, input, files)
  }
  if (isSite(op) && file !== '-') {
    const { deploySite } = await import('./transfer/deploy-site.js')
    return deploySite({ ...connection, path: file, details: input })
  }
  if (!isSentInParts(op)) return connection.call(op, input, { bytes: await readLimited(file, 'the file', command) })
  const { upload } = await import('./transfer/upload.js')
  return upload({ ...connection, path: file, nameField: op.bytes?.name ?? 'name', details: input })
}

async function events(op: Operation, { input }: Given, { call }: Connection): Promise<Content> {
  const { listen } = await import('./transfer/listen.js')
  return listen(call, op, input)
}

/** The bytes for stdout; nothing if they are written to a file. */
async function stream(
  op: Operation,
  { input }: Given,
  { output = '-', force }: ActionOptions,
  { call }: Connection,
): Promise<Content> {
  const { download, downloadTo } = await import('./transfer/download-command.js')
  if (output === '-') return download(call, op, input)
  await downloadTo({ output, isForced: force === true }, call, op, input)
  return []
}
