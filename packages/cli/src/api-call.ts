import type { Command } from 'commander'
import { InputError, NoAnswerError, SvcError, type Answer } from '@svc/client'
import { escapeLine } from '@svc/server'
import { connectionOf, type Connection, type ConnectionOptions } from './api-connection.js'
import { jsonText, note, printContent, type Content } from './output.js'

/** Calls operations, prints the answer or the error, and sets the exit code. */
export async function callAndPrint(
  options: ConnectionOptions,
  command: Command,
  act: (connection: Connection) => Promise<Content>,
): Promise<void> {
  try {
    await printContent(await act(connectionOf(options, command)))
  } catch (error) {
    if (error instanceof InputError) command.error(`error: ${error.message}`)
    if (!(error instanceof SvcError || error instanceof NoAnswerError)) throw error
    if (options.raw && error instanceof SvcError) await printContent([jsonText(error.envelope)])
    note(oneLine(error))
    process.exitCode = 1
  }
}

/** The text of an answer. */
export function contentOf(answer: Answer, raw: true | undefined): Content {
  switch (answer.kind) {
    case 'json':
      return [jsonText(raw ? answer.envelope : answer.envelope.data)]
    case 'document':
      return [answer.text]
    case 'stream':
      throw new Error('a stream has no text: transfer/download.ts reads it')
  }
}

/** `forbidden_scope: … (req_…)`, escaped: the text of a server must not add lines or control the terminal. */
function oneLine(error: SvcError | NoAnswerError): string {
  if (error instanceof SvcError) return escapeLine(`${error.code}: ${error.message} (${error.requestId})`)
  return escapeLine(`svc: ${error.message}${error.reason === 'redirect' ? ' If so, set --url or SVC_URL to it.' : ''}`)
}
