import type { Command } from 'commander'
import { InputError, NoAnswerError, SvcError, type Answer } from '@svc/client'
import type { Operation } from '@svc/contract'
import { escapeLine } from '@svc/server'
import { connectionOf, type Connection, type ConnectionOptions } from './api-connection.js'
import { inputErrorText, serverErrorText, type FlagNames } from './api-errors.js'
import { noAnswerText } from './no-answer-text.js'
import { jsonText, note, printContent, type Content } from './output.js'

interface Called {
  readonly op: Operation
  readonly flags: FlagNames
  readonly options: ConnectionOptions
  readonly command: Command
}

/** Calls operations, prints the answer or the error, and sets the exit code. */
export async function callAndPrint(
  { op, flags, options, command }: Called,
  act: (connection: Connection) => Promise<Content>,
): Promise<void> {
  let baseUrl = options.url
  try {
    const connection = connectionOf(options, command)
    baseUrl = connection.baseUrl
    await printContent(await act(connection))
  } catch (error) {
    if (error instanceof InputError) command.error(`error: ${inputErrorText(error)}`)
    if (!(error instanceof SvcError || error instanceof NoAnswerError)) throw error
    if (options.raw && error instanceof SvcError) await printContent([jsonText(error.envelope)])
    // Escaped: the text of a server must not add lines or control the terminal.
    note(
      escapeLine(
        error instanceof SvcError
          ? serverErrorText(error, { op, flags, baseUrl, hasToken: Boolean(options.token) })
          : `svc: ${noAnswerText(error, baseUrl)}`,
      ),
    )
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
