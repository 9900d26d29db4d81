import type { Logger } from 'pino'
import type { OpenProofStore } from './open-proof-store.js'
import type { PortProof, Proof, ProofPublisher } from './proof.js'

/** Serves TXT values in the zones of svc; the DNS area implements it. */
export interface DnsProofs {
  /** The zone that serves a name; undefined without one. */
  readonly zoneOf: (name: string) => Promise<string | undefined>
  readonly publish: (
    values: readonly { readonly name: string; readonly value: string }[],
    signal: AbortSignal,
  ) => Promise<void>
  readonly withdraw: (values: readonly { readonly name: string; readonly value: string }[]) => Promise<void>
}

interface PublisherDependencies {
  readonly dns: DnsProofs
  /** Whether the CA's resolvers ask svc for the names of a zone: an account can have a zone here whose DNS is elsewhere. */
  readonly isDelegated: (zone: string) => Promise<boolean>
  readonly open: Pick<OpenProofStore, 'add' | 'remove'>
  /** The challenges that the ports of this server answer, the preferred one first: they need port 443 or 80. */
  readonly atPorts: readonly PortProof['type'][]
  readonly log: Pick<Logger, 'warn'>
}

/** Publishes proofs in the zones that are delegated to svc, and at its own ports for names whose DNS is elsewhere. */
export function proofPublisher({ dns, isDelegated, open, atPorts, log }: PublisherDependencies): ProofPublisher {
  const isProvenInDns = async (name: string, isWildcard: boolean) => {
    const zone = await dns.zoneOf(recordNameOf(name))
    return zone !== undefined && (isWildcard || (await isDelegated(zone)))
  }
  return {
    typesFor: async (name, isWildcard) => [
      ...((await isProvenInDns(name, isWildcard)) ? (['dns-01'] as const) : []),
      // RFC 8737, section 3, and RFC 8555, section 8.3: not for wildcards.
      ...(isWildcard ? [] : atPorts),
    ],

    publish: async (proofs, signal) => {
      const { values, others } = split(proofs)
      if (others.length > 0) await open.add(others)
      if (values.length > 0) await dns.publish(values, signal)
    },

    withdraw: async (proofs) => {
      const { values, others } = split(proofs)
      if (values.length > 0) await dns.withdraw(values)
      if (others.length === 0) return
      await open.remove(others).catch((error: unknown) => {
        log.warn({ err: error }, 'proofs could not be removed and end later')
      })
    },
  }
}

const recordNameOf = (name: string): string => `_acme-challenge.${name}`

const split = (proofs: readonly Proof[]) => ({
  values: proofs.flatMap((proof) => (proof.type === 'dns-01' ? [{ name: proof.recordName, value: proof.value }] : [])),
  others: proofs.filter((proof): proof is PortProof => proof.type !== 'dns-01'),
})
