import { fsyncSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { escapeJson, escapeLine, escapeLines, OperatorError, writeStderr } from '@svc/server'

/**
 * Prints a result to stdout, so that it can be piped; `note` prints messages to stderr. Untrusted text must not control a
 * terminal: stderr, tables and JSON are always escaped, other text only if stdout is a terminal.
 */
export const print = (text: string): void => {
  printText(`${text}\n`)
}

/** Prints text without adding a line end. */
export const printText = (text: string): void =>
  void process.stdout.write(process.stdout.isTTY ? escapeLines(text) : text)

export const note = (text: string): void => {
  writeStderr(`${text}\n`)
}

/** Whether messages are shown on a terminal, which can redraw a line. */
export const isNoteOnTerminal = (): boolean => process.stderr.isTTY

/** Escaped output for commander, whose errors quote arguments. */
export const safeOutput = { writeOut: printText, writeErr: writeStderr }

/** The text of a document, or the chunks of a stream. */
export type Content = Iterable<string> | AsyncIterable<Uint8Array>

/**
 * Prints content with back-pressure: a slow reader slows the server down. On a terminal, bytes are escaped text.
 * @throws OperatorError if stdout cannot be written; the error of the content
 */
export async function printContent(content: Content): Promise<void> {
  try {
    await pipeline(process.stdout.isTTY ? escapedText(content) : content, process.stdout, { end: false })
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    // The reader closed the pipe: `svc api … | head`.
    if (code === 'EPIPE') return
    throw syscall === 'write' ? new OperatorError(`stdout cannot be written: ${message}`, 1, { cause: error }) : error
  }
}

/**
 * Prints a text that must not be lost: a file has it on disk before this returns.
 * @throws OperatorError if stdout cannot be written, also if its reader has closed the pipe
 */
export async function printSecret(text: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      process.stdout.once('error', reject)
      process.stdout.write(text, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
    syncStdout()
  } catch (error) {
    throw new OperatorError(`stdout cannot be written: ${(error as Error).message}`, 1, { cause: error })
  }
}

/** stdout as it is, for bytes. @throws OperatorError if it is a terminal */
export function stdoutForBytes(): Writable {
  if (process.stdout.isTTY)
    throw new OperatorError('An archive cannot be written to a terminal: name a file, or redirect stdout.', 2)
  return process.stdout
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

const noLines = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '' },
  ...{ 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
}

/** Prints aligned columns under a head. */
export async function printTable(head: string[], rows: string[][]): Promise<void> {
  const { default: Table } = await import('cli-table3')
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 }
  const table = new Table({ head, chars: noLines, style })
  table.push(...rows.map((row) => row.map(escapeLine)))
  print(table.toString())
}
