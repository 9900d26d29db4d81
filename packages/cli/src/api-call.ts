import { pipeline } from 'node:stream/promises'
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Operation } from '@svc/contract'
import { createCaller, InputError, NoAnswerError, SvcError, type Answer } from '@svc/client'

/** What every operation takes beside its own flags. */
export interface CallOptions {
  readonly url: string
  readonly token?: string
  readonly timeout: number
  readonly raw?: true
  readonly body?: string
}

const defaultUrl = 'http://127.0.0.1:8080'

/** Adds what every operation takes beside its own flags. */
export function addCallOptions(command: Command): Command {
  const options = [
    new Option('--url <address>', 'where the server is').env('SVC_URL').default(defaultUrl).argParser(address),
    // Without a parser: it would be quoted in the error.
    new Option(
      '--token <token>',
      'the API token; better in the environment: others on the machine can read it here',
    ).env('SVC_TOKEN'),
    new Option('--timeout <seconds>', 'how long to wait for the answer').default(30).argParser(seconds),
    new Option('--raw', 'print the whole envelope, of an error too'),
  ]
  for (const option of options) command.addOption(option.helpGroup('The call:'))
  return command
}

/** An empty variable in the environment counts as none. */
function address(given: string): string {
  if (given === '') return defaultUrl
  if (!/^https?:\/\//.test(given) || !URL.canParse(given))
    throw new InvalidArgumentError('It must begin with http:// or https://.')
  return given
}

function seconds(given: string): number {
  // The longest a timer can wait is 2^31 - 1 milliseconds.
  if (!/^\d+(\.\d+)?$/.test(given) || Number(given) === 0 || Number(given) > 2_147_483)
    throw new InvalidArgumentError('It must be a number of seconds above 0.')
  return Number(given)
}

/** Calls an operation, prints what comes, and sets the exit code. */
export async function callAndPrint(
  op: Operation,
  input: Readonly<Record<string, unknown>>,
  { url, token, timeout, raw }: CallOptions,
  command: Command,
): Promise<void> {
  try {
    const call = createCaller({ baseUrl: url, token: token === '' ? undefined : token, timeoutMs: timeout * 1000 })
    await print(contentOf(await call(op, input), raw))
  } catch (error) {
    if (error instanceof InputError) command.error(`error: ${error.message}`)
    if (!(error instanceof SvcError || error instanceof NoAnswerError)) throw error
    if (raw && error instanceof SvcError) await print([jsonText(error.envelope)])
    process.stderr.write(`${oneLine(error)}\n`)
    process.exitCode = 1
  }
}

type Content = Iterable<string> | AsyncIterable<Uint8Array>

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
    throw new NoAnswerError('network', `the answer broke off: ${(error as Error).message}`, { cause: error })
  }
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Through a pipeline, so that a slow reader slows the server down too. */
async function print(content: Content): Promise<void> {
  try {
    await pipeline(content, process.stdout, { end: false })
  } catch (error) {
    // Whoever reads has had enough: `svc api … | head`.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

/** `forbidden_scope: … (req_…)`: what a server says must not become lines, or commands to the terminal. */
function oneLine(error: SvcError | NoAnswerError): string {
  const text =
    error instanceof SvcError ? `${error.code}: ${error.message} (${error.requestId})` : `svc: ${error.message}`
  return text.replace(/\p{Cc}+/gu, ' ')
}
