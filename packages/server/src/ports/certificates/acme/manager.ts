import { X509Certificate } from 'node:crypto'
import type { Logger } from 'pino'
import type { AcmeClient } from './client.js'
import { namesKeyOf, type CertificateStore, type DueCertificate } from './certificate-store.js'
import { AcmeError } from './errors.js'
import type { ProofPublisher } from './proof.js'
import { renewalTime, retryTime } from './renewal.js'
import type { RenewalInfo } from './renewal-info.js'
import { newKey } from './x509.js'

export interface ManagerDependencies {
  readonly store: Pick<CertificateStore, 'want' | 'claim' | 'release' | 'replace' | 'postpone' | 'fail'>
  readonly client: () => Promise<AcmeClient>
  readonly proofs: ProofPublisher
  /** The certificates that this server needs: the names of each. */
  readonly wanted: () => Promise<readonly (readonly string[])[]>
  /** Why a name must not be ordered now, as a sentence; undefined if it leads to this server. */
  readonly problemOf: (name: string) => Promise<string | undefined>
  /** A profile of the CA; undefined for its default. */
  readonly profile: string | undefined
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** The time in milliseconds since the epoch. */
  readonly now?: () => number
}

/** Longer than an order may take, with the time in which its proofs become visible. */
const leaseMs = 600_000

/** A server that is started again and again must not begin an order each time. */
const afterStopMs = 60_000

/** How many certificates one run of the job handles, so that it looks for new names again. */
const perRun = 100

/** Without renewal information, a certificate is looked at this often. */
const lookEveryMs = 12 * 3_600_000

/** Orders the certificates that are missing or due, one after another. Several processes share them by leases. */
export function certificateManager(given: ManagerDependencies): {
  readonly run: (signal: AbortSignal) => Promise<void>
} {
  const dependencies = { ...given, now: given.now ?? Date.now }
  const { store, wanted, now } = dependencies
  return {
    async run(signal) {
      const keys = (await wanted()).map(namesKeyOf)
      await store.want(keys, now())
      for (let handled = 0; handled < perRun && !signal.aborted; handled++) {
        const certificate = await store.claim(keys, now(), leaseMs)
        if (certificate === undefined) return
        await handle(dependencies, certificate, signal)
      }
    },
  }
}

type Dependencies = Required<ManagerDependencies>

async function handle(dependencies: Dependencies, certificate: DueCertificate, signal: AbortSignal) {
  const { store, log, now } = dependencies
  const { names, failures, chain } = certificate
  try {
    const postponed = await postpone(dependencies, certificate, signal)
    if (!postponed) await order(dependencies, certificate, signal)
  } catch (error) {
    if (signal.aborted) {
      // The server stops: another process, or the next start, continues.
      await store.release(certificate, now() + afterStopMs)
      return
    }
    const message = error instanceof Error ? error.message : String(error)
    const retryAt = error instanceof AcmeError ? error.retryAt : undefined
    const validUntil = chain === null ? undefined : Date.parse(new X509Certificate(chain).validTo)
    const nextAt = retryTime(failures + 1, { now: now(), random: Math.random(), retryAt, validUntil })
    await store.fail(certificate, Math.round(nextAt), message)
    log.warn({ err: error, names, next_attempt: new Date(nextAt).toISOString() }, 'a certificate could not be ordered')
  }
}

/** Asks the CA when a certificate is to be renewed. @returns false if that is now */
async function postpone(
  { store, client, log, now }: Dependencies,
  certificate: DueCertificate,
  signal: AbortSignal,
): Promise<boolean> {
  const { names, chain, renewAt, orderedAt } = certificate
  if (chain === null || renewAt === null || orderedAt === null || renewAt <= now()) return false
  const info = await (await client()).renewalInfo(chain, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    log.warn({ err: error, names }, 'the CA does not say when a certificate is to be renewed')
    return undefined
  })
  const times = timesOf(chain, info, { now: now(), orderedAt, planned: renewAt })
  if (times.renewAt <= now()) return false
  await store.postpone(certificate, times)
  return true
}

/**
 * When a certificate is renewed, and looked at next.
 * @param planned keeps the renewal time that was chosen before, if it is in the window
 */
function timesOf(
  chain: string,
  info: RenewalInfo | undefined,
  { now, orderedAt, planned }: { readonly now: number; readonly orderedAt: number; readonly planned?: number },
) {
  const leaf = new X509Certificate(chain)
  const life = { orderedAt, validFrom: Date.parse(leaf.validFrom), validUntil: Date.parse(leaf.validTo) }
  const isKept = planned !== undefined && (info === undefined || (planned >= info.start && planned <= info.end))
  const renewAt = isKept ? planned : Math.round(renewalTime(life, info, Math.random()))
  return { renewAt, nextAt: Math.min(renewAt, now + (info?.askAgainMs ?? lookEveryMs)) }
}

async function order(dependencies: Dependencies, certificate: DueCertificate, signal: AbortSignal) {
  const { store, client, proofs, problemOf, profile, log, now } = dependencies
  const { names, chain: replaced } = certificate
  for (const name of names) {
    const problem = await problemOf(name)
    if (problem !== undefined) throw new Error(problem)
  }
  const key = newKey()
  const acme = await client()
  const { pem } = await acme.order({ names, key, profile, replaces: replaced ?? undefined, proofs }, signal)
  const orderedAt = now()
  const { renewAt } = timesOf(pem, undefined, { now: orderedAt, orderedAt })
  // Due at once: the CA is asked about its renewal, and a failure of that must not lose the certificate.
  await store.replace(certificate, { chain: pem, key }, { now: orderedAt, nextAt: orderedAt, renewAt })
  log.info({ names }, 'a certificate was ordered')
}
