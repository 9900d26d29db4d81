import { fsyncSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { escapeJson, escapeLines, OperatorError, writeStderr } from '@svc/server'
import { jsonListText, tableText, type Pages } from './table.js'

/** The first error of each stdout: of this process, and of the commands that tests run in one process. */
const failures = new WeakMap<NodeJS.WritableStream, NodeJS.ErrnoException | undefined>()

/**
 * The one stream of results. Its errors wait for `finishOutput`: without a handler, they would end the process in the middle of the
 * command's work.
 */
function stdout(): NodeJS.WriteStream & { fd: 1 } {
  const stream = process.stdout
  if (!failures.has(stream)) {
    failures.set(stream, undefined)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (failures.get(stream) === undefined) failures.set(stream, error)
    })
  }
  return stream
}

/**
 * Waits until everything is written. Called when the command has done its work. A reader that has left, as in `svc … | head`, is no
 * failure, as for most commands: the exit code is then 0.
 * @throws OperatorError if stdout cannot be written, for example on a full disk
 */
export async function finishOutput(): Promise<void> {
  const stream = stdout()
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve())
  })
  const failure = failures.get(stream)
  if (failure !== undefined && failure.code !== 'EPIPE') throw unwritable(failure)
}

const unwritable = (error: unknown): OperatorError =>
  new OperatorError(`stdout cannot be written: ${(error as Error).message}.`, 1, { cause: error })

/**
 * Prints a result to stdout, so that it can be piped; `note` prints messages to stderr. Untrusted text must not control a
 * terminal: stderr, tables and JSON are always escaped, other text only if stdout is a terminal.
 */
export const print = (text: string): void => {
  printText(`${text}\n`)
}

/** Prints text without adding a line end. */
export const printText = (text: string): void => void stdout().write(stdout().isTTY ? escapeLines(text) : text)

export const note = (text: string): void => {
  writeStderr(`${text}\n`)
}

/** Whether messages are shown on a terminal, which can redraw a line. */
export const isNoteOnTerminal = (): boolean => process.stderr.isTTY

/** Escaped output for commander, whose errors quote arguments. */
export const safeOutput = { writeOut: printText, writeErr: writeStderr }

/** The text of a document, or the chunks of a stream. */
export type Content = Iterable<string> | AsyncIterable<string | Uint8Array>

/**
 * Prints content with back-pressure: a slow reader slows the server down. On a terminal, bytes are escaped text.
 * @throws OperatorError if stdout cannot be written; the error of the content
 */
export async function printContent(content: Content): Promise<void> {
  try {
    await pipeline(stdout().isTTY ? escapedText(content) : content, stdout(), { end: false })
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    // The reader closed the pipe: `svc api … | head`.
    if (code === 'EPIPE') return
    throw syscall === 'write' ? unwritable(error) : error
  }
}

/**
 * Prints a text that must not be lost: a file has it on disk before this returns.
 * @throws OperatorError if stdout cannot be written, also if its reader has closed the pipe
 */
export async function printSecret(text: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      stdout().write(text, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
    syncStdout()
  } catch (error) {
    throw unwritable(error)
  }
}

const stdoutFd = 1

/** Only files can be flushed, no pipes and terminals. */
function syncStdout(): void {
  try {
    fsyncSync(stdoutFd)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

async function* escapedText(content: Content): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of content)
    yield escapeLines(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
  yield escapeLines(decoder.decode())
}

/** Indented JSON with a line end. */
export const jsonText = (value: unknown): string => escapeJson(`${JSON.stringify(value, null, 2)}\n`)

export const printJson = (value: unknown): void => {
  printText(jsonText(value))
}

/** Prints a list as JSON. */
export const printJsonList = (pages: Pages<unknown>): Promise<void> => printContent(jsonListText(pages))

/** Prints aligned columns under a head. */
export const printTable = (head: readonly string[], rows: readonly (readonly string[])[]): Promise<void> =>
  printTablePages(head, [rows])

/** The same for a list of any length, a page at a time. */
export const printTablePages = (head: readonly string[], pages: Pages<readonly string[]>): Promise<void> =>
  printContent(tableText(head, pages))
