import { InvalidArgumentError, Option, type Command } from 'commander'
import { createCaller, type Caller } from '@svc/client'
import { maskPasswords } from '@svc/server'

/** Flags that every operation has beside its own. */
export interface ConnectionOptions {
  readonly url: string
  readonly token?: string
  /** In seconds. */
  readonly timeout: number
  readonly raw?: true
}

export interface Connection {
  readonly call: Caller
  /** The server's. */
  readonly baseUrl: string
  /** Deadline of a call in milliseconds. */
  readonly timeoutMs: number
}

const defaultUrl = 'http://127.0.0.1:8080'

/** Adds the flags that every operation has beside its own. */
export function addConnectionOptions(command: Command): Command {
  const options = [
    // Without an argument parser: commander would quote the URL with its password in the error.
    new Option('--url <address>', 'base URL of the server').env('SVC_URL').default(defaultUrl),
    new Option('--token <token>', 'the token; prefer SVC_TOKEN, because other users of this machine can see flags').env(
      'SVC_TOKEN',
    ),
    new Option('--timeout <seconds>', 'how long to wait for the answer').default(30).argParser(seconds),
    new Option('--raw', 'print the whole envelope, also of an error'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Connection:'))
  return command
}

/** @throws InputError for an invalid token */
export function connectionOf({ url, token, timeout }: ConnectionOptions, command: Command): Connection {
  const baseUrl = baseUrlOf(url, command)
  const timeoutMs = timeout * 1000
  return { baseUrl, timeoutMs, call: createCaller({ baseUrl, token: token === '' ? undefined : token, timeoutMs }) }
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
