import type { Account } from './account.js'

/** A DNS record that makes a host point to the server. */
export interface HostTarget {
  readonly type: 'A' | 'AAAA' | 'CNAME'
  readonly value: string
}

/** The same, when it exists. */
export interface HostRecord extends HostTarget {
  readonly id: number
}

/** Keeps the DNS records of hosts that another area serves. Changes are published when a method resolves. */
export interface HostRecords {
  /**
   * Creates records at a host: all of them, or none. A record that exists already is taken over.
   * @param zone in which the host is @param host the full name
   * @throws ApiError `forbidden_zone`; `bad_request` for a conflict with other records; `upstream_error`
   */
  readonly create: (
    account: Account,
    zone: string,
    host: string,
    targets: readonly HostTarget[],
  ) => Promise<HostRecord[]>
  /**
   * Deletes records, except those that the user has changed or deleted. Does nothing in a zone that the account has lost.
   * @throws ApiError `upstream_error`
   */
  readonly remove: (account: Account, zone: string, records: readonly HostRecord[]) => Promise<void>
}
