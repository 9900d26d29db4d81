import { NoAnswerError, SvcError } from '@svc/client'
import { UploadQueue } from '../src/areas/files/upload/queue.js'
import type { fakeServer } from './upload-server.js'

/** Queues of uploads with a simulated server and clock, and files for them. */

export const mebibyte = 2 ** 20
export const cut = () => new NoAnswerError('network', 'cut')
export const refusal = (status: number, error: string, message = 'content is too large: the account is full.') =>
  new SvcError(status, { success: false, error, message, request_id: 'req_1' })

/** A queue that does not wait between its attempts, and what it reported. */
export function queueWith(server: ReturnType<typeof fakeServer>) {
  let now = 0
  const waits: number[] = []
  const stored: string[] = []
  const queue = new UploadQueue({
    calls: server.calls,
    surroundings: {
      // 100 ms for each look: a line of about 10 MiB/s.
      now: () => (now += 100),
      wait: async (ms) => {
        waits.push(ms)
      },
    },
    onStored: ({ name }) => stored.push(name),
  })
  const phases = () => queue.uploads().map(({ phase }) => phase)
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const settled = () => until(() => phases().every((phase) => ['done', 'failed', 'paused'].includes(phase)))
  return { queue, waits, stored, phases, until, settled }
}

export const small = (name = 'small.txt') => new File(['hello'], name, { type: 'text/plain' })

/** Each mebibyte has another content, so that exchanged parts are noticed. */
export const large = (name = 'large.bin', mebibytes = 6) =>
  new File(
    Array.from({ length: mebibytes }, (_, index) => new Uint8Array(mebibyte).fill(index)),
    name,
  )

export const bytesOf = async (blob: Blob | undefined) => Buffer.from(await (blob ?? new Blob([])).arrayBuffer())
