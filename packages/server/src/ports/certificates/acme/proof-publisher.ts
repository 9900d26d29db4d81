import type { Proof, ProofPublisher } from './proof.js'

interface DnsValue {
  /** Absolute: `_acme-challenge.example.net`. */
  readonly name: string
  readonly value: string
}

/** Serves TXT values in the zones of svc; the DNS area implements it. */
export interface DnsProofs {
  /** The zone that serves a name; undefined without one. */
  readonly zoneOf: (name: string) => Promise<string | undefined>
  readonly publish: (values: readonly DnsValue[], signal: AbortSignal) => Promise<void>
  /** It does not throw. */
  readonly withdraw: (values: readonly DnsValue[]) => Promise<void>
}

/** Publishes proofs in the zones that svc serves. */
export const proofPublisher = (dns: DnsProofs): ProofPublisher => ({
  typesFor: async (name) => ((await dns.zoneOf(`_acme-challenge.${name}`)) === undefined ? [] : ['dns-01']),
  publish: (proofs, signal) => dns.publish(valuesOf(proofs), signal),
  withdraw: (proofs) => dns.withdraw(valuesOf(proofs)),
})

const valuesOf = (proofs: readonly Proof[]): DnsValue[] =>
  proofs.flatMap((proof) => (proof.type === 'dns-01' ? [{ name: proof.recordName, value: proof.value }] : []))
