import { dyndnsPath } from '@svc/contract'

/** The configuration of the programs that keep the address of a host up to date: docs/dynamic-dns.md. */

interface UpdateClient {
  /** Address of the server, without a slash at its end. */
  readonly serverUrl: string
  readonly token: string
  /** The full name of the host. */
  readonly name: string
}

/** The full name of the host that an update key updates; undefined for other rules. */
export function updateName(
  rules:
    | readonly { readonly kind: string; readonly name: string; readonly hosts?: readonly string[] | undefined }[]
    | null,
): string | undefined {
  const rule = rules?.find(({ kind }) => kind === 'zone')
  const [host] = rule?.hosts ?? []
  return rule && host && (host === '@' ? rule.name : `${host}.${rule.name}`)
}

const addressPath = '/v1/public/ip'

/** `/etc/ddclient.conf` of ddclient 3.10. */
export function ddclientConfig({ serverUrl, token, name }: UpdateClient): string {
  const { protocol, host, pathname } = new URL(serverUrl)
  const prefix = pathname.replace(/\/$/, '')
  return [
    'daemon=300',
    `ssl=${protocol === 'https:' ? 'yes' : 'no'}`,
    `use=web, web=${serverUrl}${addressPath}`,
    'protocol=dyndns2',
    `server=${host}`,
    ...(prefix === '' ? [] : [`script=${prefix}${dyndnsPath}`]),
    'login=svc',
    `password=${token}`,
    name,
  ].join('\n')
}

/** `/etc/inadyn.conf` of inadyn 2.10. */
export function inadynConfig({ serverUrl, token, name }: UpdateClient): string {
  const { protocol, host, pathname } = new URL(serverUrl)
  const prefix = pathname.replace(/\/$/, '')
  const ssl = protocol === 'https:' ? 'true' : 'false'
  return `period = 300

custom svc {
    checkip-server = "${host}"
    checkip-path   = "${prefix}${addressPath}"
    checkip-ssl    = ${ssl}
    ddns-server    = "${host}"
    ddns-path      = "${prefix}${dyndnsPath}?hostname=%h&myip=%i"
    ssl            = ${ssl}
    username       = "svc"
    password       = "${token}"
    hostname       = "${name}"
}`
}
