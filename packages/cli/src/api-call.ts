import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Operation } from '@svc/contract'
import { createCaller, InputError, NoAnswerError, SvcError, type Answer } from '@svc/client'
import { escapeLine, maskPasswords } from '@svc/server'
import { jsonText, note, printContent, type Content } from './output.js'

/** Flags that every operation has beside its own. */
export interface CallOptions {
  readonly url: string
  readonly token?: string
  readonly timeout: number
  readonly raw?: true
  readonly body?: string
}

const defaultUrl = 'http://127.0.0.1:8080'

/** Adds the flags that every operation has beside its own. */
export function addCallOptions(command: Command): Command {
  const options = [
    // Without an argument parser: commander would quote the URL with its password in the error.
    new Option('--url <address>', 'base URL of the server').env('SVC_URL').default(defaultUrl),
    new Option(
      '--token <token>',
      'the API token; prefer SVC_TOKEN, because other users of this machine can see flags',
    ).env('SVC_TOKEN'),
    new Option('--timeout <seconds>', 'how long to wait for the answer').default(30).argParser(seconds),
    new Option('--raw', 'print the whole envelope, also of an error'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Connection:'))
  return command
}

/** The base URL. An empty environment variable counts as unset; an invalid URL is a usage error. */
function baseUrlOf(given: string, command: Command): string {
  if (given === '') return defaultUrl
  const refuse = (rule: string) => command.error(`error: --url is '${maskPasswords(given)}'. ${rule}`)
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) return refuse('It must begin with http:// or https://.')
  const { username, password, search, hash } = new URL(given)
  if (username !== '' || password !== '') return refuse('It must not contain a user or a password.')
  if (search !== '' || hash !== '') return refuse('It must not have a query or a fragment.')
  return given
}

function seconds(given: string): number {
  // The longest timer of Node.js has 2^31 - 1 milliseconds.
  if (!/^\d+(\.\d+)?$/.test(given) || Number(given) === 0 || Number(given) > 2_147_483)
    throw new InvalidArgumentError('It must be a number of seconds above 0.')
  return Number(given)
}

/** Calls an operation, prints the answer, and sets the exit code. */
export async function callAndPrint(
  op: Operation,
  input: Readonly<Record<string, unknown>>,
  { url, token, timeout, raw }: CallOptions,
  command: Command,
): Promise<void> {
  const baseUrl = baseUrlOf(url, command)
  try {
    const call = createCaller({ baseUrl, token: token === '' ? undefined : token, timeoutMs: timeout * 1000 })
    await printContent(contentOf(await call(op, input), raw))
  } catch (error) {
    if (error instanceof InputError) command.error(`error: ${error.message}`)
    if (!(error instanceof SvcError || error instanceof NoAnswerError)) throw error
    if (raw && error instanceof SvcError) await printContent([jsonText(error.envelope)])
    note(oneLine(error))
    process.exitCode = 1
  }
}

function contentOf(answer: Answer, raw: true | undefined): Content {
  switch (answer.kind) {
    case 'json':
      return [jsonText(raw ? answer.envelope : answer.envelope.data)]
    case 'document':
      return [answer.text]
    case 'stream':
      return bytesOf(answer.response)
  }
}

async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    if (body) yield* body
  } catch (error) {
    throw new NoAnswerError('network', `the answer is incomplete: ${(error as Error).message}`, { cause: error })
  }
}

/** `forbidden_scope: … (req_…)`, escaped: the text of a server must not add lines or control the terminal. */
function oneLine(error: SvcError | NoAnswerError): string {
  if (error instanceof SvcError) return escapeLine(`${error.code}: ${error.message} (${error.requestId})`)
  return escapeLine(`svc: ${error.message}${error.reason === 'redirect' ? ' If so, set --url or SVC_URL to it.' : ''}`)
}
