import { NoAnswerError, SvcError } from '@svc/client'

/** What the user reads about a failed call: the message of the server, or why there is no answer. */
export function errorText(error: unknown): string {
  if (error instanceof SvcError) return error.message
  if (error instanceof NoAnswerError) return noAnswerText[error.reason]
  return error instanceof Error ? error.message : String(error)
}

const noAnswerText = {
  network: 'The server cannot be reached. Check your connection, then try again.',
  timeout: 'The server did not answer in time. The change may have been made: reload before you repeat it.',
  answer:
    'The answer did not come from svc. The server may be restarting: try again in a minute. Otherwise a proxy in front of it is misconfigured.',
  redirect: 'The server redirected the request. Open the console at its public address.',
} as const

/** The request id under which the server's log has the error. */
export const requestIdOf = (error: unknown): string | undefined =>
  error instanceof SvcError ? error.requestId : undefined
