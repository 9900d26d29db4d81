import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { S3Client, type PutObjectCommand, type UploadPartCommand } from '@aws-sdk/client-s3'
import { boundAnswers } from './bounded-answers.js'

/** Where a client sends its requests: `endpoint` is the URL of another provider than AWS. */
export interface S3Location {
  readonly bucket: string
  readonly endpoint?: string
  /** Missing: `us-east-1` at another provider, at AWS the region of the environment. */
  readonly region?: string
}

/** Limits of the adapter; tests use smaller ones. */
export interface S3Limits {
  /** The longest time to connect, in milliseconds. */
  readonly connectMs: number
  /** A request in which no byte moves for this long fails, in milliseconds. It is not tried again. */
  readonly idleMs: number
  /** How often a request is tried if it fails earlier. */
  readonly attempts: number
  /** Limit of each clean-up request after a failed upload, in milliseconds. The caller waits for it; the sweep removes the rest. */
  readonly cleanUpMs: number
  /** How many parts of 8 MiB all uploads together hold in memory. */
  readonly partsInMemory: number
  /** How long the rate of an upload is measured, in milliseconds. */
  readonly rateMs: number
}

/** The longest time until the head of an answer, although bytes move: a part of 8 MiB at 14 KB per second. In milliseconds. */
const requestMs = 600_000

/**
 * A client that takes its credentials from the default chain of the SDK: environment, profile, role of the machine. A download whose
 * client reads nothing for `idleMs` fails too: its connection moves no byte.
 */
export function openClient({ endpoint, region }: S3Location, { connectMs, idleMs, attempts }: S3Limits): S3Client {
  // Each download holds a connection while its client reads. The SDK's limit of 50 would let slow clients block all others.
  const agent = { keepAlive: true, maxSockets: Infinity }
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: 'us-east-1' }),
    ...(region === undefined ? {} : { region }),
    maxAttempts: attempts,
    // Several providers reject the checksums that the SDK adds by default. Bodies are signed with their SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would cost a round trip for each body, to learn of a refusal before the bytes are sent.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
    },
  })
  boundAnswers(client, idleMs)
  return client
}

/**
 * Signs a body with a hash that is known, so that the provider verifies it. Otherwise the SDK hashes the whole body at once,
 * and so blocks the event loop.
 * @param sha256 lower-case hexadecimal
 */
export function signBody(command: PutObjectCommand | UploadPartCommand, sha256: string): void {
  const stack = command.middlewareStack as PutObjectCommand['middlewareStack']
  stack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> }
      headers['x-amz-content-sha256'] = sha256
      return next(args)
    },
    { step: 'build', name: 'signBody' },
  )
}
