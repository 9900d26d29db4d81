import type { Caller } from '../../../shared/account.js'
import type { Client, KeyStore } from '../protocol/messages.js'
import type { TsigKey } from '../wire/tsig.js'
import type { TransferredZone } from './may-transfer.js'

/** What the nameserver needs to serve secondaries. */
export interface SecondariesOptions {
  /** Those to tell about changes. */
  readonly secondaries: readonly Secondary[]
  /** Those that accounts have named; undefined without accounts. */
  readonly accounts?: AccountSecondaries
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

/** A nameserver that an account has named for copies of its zones, and that has proven to have the key at this address. */
export interface AccountSecondary extends Pick<Secondary, 'address' | 'port'> {
  readonly id: number
  readonly accountId: number
  /** Id of the token that is the key. */
  readonly tokenId: number
}

/** The secondaries of accounts, which are stored. Calls may reject if the database fails. */
export interface AccountSecondaries {
  /** Those of all accounts, for the start. */
  all(): Promise<readonly AccountSecondary[]>
  /** Those of these accounts. */
  of(accountIds: readonly number[]): Promise<readonly AccountSecondary[]>
  /** The key for a message about a zone; undefined if the secondary must not be told about it now. */
  keyFor(secondary: AccountSecondary, zone: TransferredZone): Promise<TsigKey | undefined>
  /**
   * Notes that a request for the SOA or a transfer, signed with the key of an account, has come over TCP: its address is not forged.
   * @returns the secondaries that have proven their address with it
   */
  proven(caller: Caller, address: string): Promise<readonly AccountSecondary[]>
  /** Notes how a message ended. */
  told(secondary: AccountSecondary, outcome: NotifyOutcome): void
}

/** How a transfer ended. */
export type TransferKind = 'axfr' | 'ixfr' | 'current' | 'refused' | 'failed'

/** How a NOTIFY ended. */
export type NotifyResult = 'answered' | 'refused' | 'failed'

/** A NOTIFY that has ended. */
export interface NotifyOutcome {
  readonly result: NotifyResult
  readonly zone: string
  /** Of the answer; undefined without one. */
  readonly rcode?: number
  /** Undefined if the secondary has accepted it. */
  readonly problem?: Error
}

/** Called for each transfer and NOTIFY, for metrics. */
export interface SecondariesCounters {
  /** @param zone undefined for one that is not served */
  readonly transfer: (kind: TransferKind, zone: string | undefined, transport: Client['transport']) => void
  readonly notify: (result: NotifyResult) => void
}
