import { createHmac, randomBytes } from 'node:crypto'

/** Signatures of forwarded requests (Standard Webhooks 1.0.0, https://www.standardwebhooks.com). */

const prefix = 'whsec_'

/** The specification asks for 24 to 64 bytes. */
const secretBytes = 32

export const createSecret = (): string => prefix + randomBytes(secretBytes).toString('base64')

export interface SignedMessage {
  /** The same for each attempt, so that the receiver recognizes a repetition. */
  readonly id: string
  /** When this attempt is sent, in milliseconds since the epoch. */
  readonly sentAt: number
  readonly body: Buffer
}

/** @returns the headers of a signed request: names and values in turn */
export function signatureHeaders(secret: string, { id, sentAt, body }: SignedMessage): string[] {
  const seconds = String(Math.floor(sentAt / 1000))
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')
  return ['webhook-id', id, 'webhook-timestamp', seconds, 'webhook-signature', `v1,${signature}`]
}
