import { isIPv4, isIPv6 } from 'node:net'
import type { Config } from '../config/config.js'
import { OperatorError } from '../shared/operator-error.js'

type PortSettings = Pick<Config, 'host' | 'port' | 'metrics'> & {
  readonly tls?: Pick<NonNullable<Config['tls']>, 'port' | 'redirectPort'> | undefined
} & { readonly dns: Pick<Config['dns'], 'host' | 'port' | 'provider'> & { readonly updatePort?: number | undefined } }

interface WantedPort {
  readonly env: string
  readonly host: string
  readonly port: number
}

/** Refuses settings that ask for one TCP port twice. DNS needs its port for UDP and TCP. @throws OperatorError that names both settings */
export function refuseSharedPorts(config: PortSettings): void {
  const wanted = wantedPorts(config)
  for (const [index, first] of wanted.entries())
    for (const second of wanted.slice(index + 1)) {
      if (first.env === second.env || first.port !== second.port || !overlap(first.host, second.host)) continue
      throw new OperatorError(
        `${first.env} and ${second.env} both ask for TCP port ${first.port} on ${first.host}: set one of them to another port.`,
        2,
      )
    }
}

/** Without ports that the operating system selects. */
function wantedPorts({ host, port, metrics, dns, tls }: PortSettings): WantedPort[] {
  const nameserver =
    dns.provider.kind === 'embedded'
      ? { env: 'SVC_DNS_PORT', port: dns.port }
      : { env: 'SVC_DNS_UPDATE_PORT', port: dns.updatePort ?? 0 }
  return [
    { env: 'SVC_PORT', host, port },
    ...(tls === undefined ? [] : [{ env: 'SVC_TLS_PORT', host, port: tls.port }]),
    ...(tls?.redirectPort === undefined ? [] : [{ env: 'SVC_HTTP_PORT', host, port: tls.redirectPort }]),
    ...(metrics === undefined ? [] : [{ env: 'SVC_METRICS_PORT', ...metrics }]),
    ...dns.host.map((address) => ({ ...nameserver, host: address })),
  ].filter((one) => one.port !== 0)
}

/** Whether two addresses are the same, or one is all addresses of the other's family. */
function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((host) => (host === 'localhost' ? '127.0.0.1' : host)) as [string, string]
  return a === b || includes(a, b) || includes(b, a)
}

const includes = (all: string, one: string): boolean =>
  (all === '0.0.0.0' && isIPv4(one)) || (all === '::' && isIPv6(one))

/** The nameserver's addresses for the log: `127.0.0.1:5300, [::1]:5300`. */
export const shownAddresses = (addresses: readonly { readonly host: string; readonly port: number }[]): string =>
  addresses.map(({ host, port }) => `${isIPv6(host) ? `[${host}]` : host}:${port}`).join(', ')
