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

/**
 * Keeps the DNS records of hosts that another area serves. Changes are published when a method resolves.
 * @param zone in which the host is @param host the full name
 */
export interface HostRecords {
  /** Checks the rules of the caller's token for a change of these records. @throws ApiError `forbidden_zone` */
  readonly requireAllowed: (account: Account, zone: string, host: string, targets: readonly HostTarget[]) => void
  /**
   * The records that `create` would add.
   * @throws ApiError `forbidden_zone`; `bad_request` for other records at the host
   */
  readonly missing: (
    account: Account,
    zone: string,
    host: string,
    targets: readonly HostTarget[],
  ) => Promise<readonly HostTarget[]>
  /**
   * Creates records at a host. A record that exists already is taken over. After an error, some may have been created.
   * @returns all of them, and those that did not exist
   * @throws ApiError `forbidden_zone`; `bad_request` for a conflict with other records; `upstream_error`
   */
  readonly create: (
    account: Account,
    zone: string,
    host: string,
    targets: readonly HostTarget[],
  ) => Promise<{ readonly records: readonly HostRecord[]; readonly created: readonly HostRecord[] }>
  /**
   * Deletes the records at a host that equal these: a record that the user has changed or moved is kept. Does nothing in a zone that
   * the account has lost.
   * @throws ApiError as `requireAllowed`; `upstream_error`
   */
  readonly remove: (account: Account, zone: string, host: string, targets: readonly HostTarget[]) => Promise<void>
}
