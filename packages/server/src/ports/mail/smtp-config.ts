/** A sender of e-mails: an address, and a name or an empty text. */
export interface Sender {
  readonly name: string
  readonly address: string
}

/** The mail server of the operator. */
export interface SmtpConfig {
  readonly host: string
  readonly port: number
  /** `implicit`: TLS from the start. `starttls`: required before sign-in. `none`: the operator trusts the network. */
  readonly tls: 'implicit' | 'starttls' | 'none'
  /** Undefined for a server without sign-in. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  readonly from: Sender
}
