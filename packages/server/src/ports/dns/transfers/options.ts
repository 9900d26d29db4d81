import type { Client, KeyStore } from '../protocol/messages.js'

/** What the nameserver needs to serve secondaries. */
export interface SecondariesOptions {
  /** Those to tell about changes. */
  readonly secondaries: readonly Secondary[]
  readonly keyOf: KeyStore['byName']
  readonly catalog: CatalogSettings
  readonly count?: SecondariesCounters
}

/** A nameserver of the operator that serves copies of the zones. */
export interface Secondary {
  /** An IP address. */
  readonly address: string
  readonly port: number
  /** The name of the operator's key that messages to it are signed with; undefined for unsigned ones. */
  readonly key: string | undefined
}

export interface CatalogSettings {
  /** Absolute, in lower case, without a trailing dot. */
  readonly name: string
  /**
   * The serial of a list of members: the same for the same list, in every process and after a restart, and a higher one for another.
   * @param digest of the list
   */
  readonly serialOf: (digest: string) => Promise<number>
}

/** How a transfer ended. */
export type TransferKind = 'axfr' | 'ixfr' | 'current' | 'refused' | 'failed'

/** How a NOTIFY ended. */
export type NotifyResult = 'answered' | 'refused' | 'failed'

/** Called for each transfer and NOTIFY, for metrics. */
export interface SecondariesCounters {
  /** @param zone undefined for one that is not served */
  readonly transfer: (kind: TransferKind, zone: string | undefined, transport: Client['transport']) => void
  readonly notify: (result: NotifyResult) => void
}
