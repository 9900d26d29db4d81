/** Where the primary nameserver is, over UDP and TCP. */
export interface PrimaryAddress {
  /** An IP address. */
  readonly host: string
  readonly port: number
}
