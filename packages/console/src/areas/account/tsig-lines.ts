/** How common programs are given a key that signs DNS messages. */

interface Key {
  readonly name: string
  readonly algorithm: string
  readonly secret: string
}

export interface Lines {
  readonly program: string
  readonly code: string
}

/** @param server the nameserver's host @returns for each program, the lines of its configuration or its command */
export const tsigLines = ({ name, algorithm, secret }: Key, server: string): readonly Lines[] => [
  {
    program: 'nsupdate',
    code: `nsupdate -y ${algorithm}:${name}:${secret}
server ${server}`,
  },
  {
    program: 'lego',
    code: `RFC2136_NAMESERVER=${server}
RFC2136_TSIG_ALGORITHM=${algorithm}.
RFC2136_TSIG_KEY=${name}
RFC2136_TSIG_SECRET=${secret}`,
  },
  {
    program: 'external-dns',
    code: `--provider=rfc2136
--rfc2136-host=${server}
--rfc2136-port=53
--rfc2136-tsig-keyname=${name}
--rfc2136-tsig-secret-alg=${algorithm}
--rfc2136-tsig-secret=${secret}
--rfc2136-tsig-axfr`,
  },
  {
    program: 'certbot',
    code: `# dns_rfc2136_server takes an IP address.
dns_rfc2136_server = ${server}
dns_rfc2136_port = 53
dns_rfc2136_name = ${name}
dns_rfc2136_algorithm = ${algorithm.toUpperCase()}
dns_rfc2136_secret = ${secret}`,
  },
]
