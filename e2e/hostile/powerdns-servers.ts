import type { Answer } from '../../packages/server/test/app.js'
import { startGateway, type Gateway } from '../../packages/server/test/gateway.js'
import { migratedPostgres } from '../../packages/server/test/migrated-database.js'
import { heldBy } from '../../packages/server/test/powerdns-site.js'
import { emptyPlace, svc, svcServe, type Place, type Result, type Serving } from '../../packages/cli/test/svc.js'
import { startPowerDns, type PowerDns } from '../../test/servers/index.js'
import { accountToken } from '../account-token.js'

/** `svc` processes (servers and commands) on one database and one PowerDNS behind a gateway. */
export interface PowerDnsServers extends AsyncDisposable {
  readonly powerdns: PowerDns
  readonly gateway: Gateway
  readonly place: Place
  /** Starts another server, with additional settings. */
  readonly serve: (env?: Readonly<Record<string, string>>) => Promise<Serving>
  /** Runs a command until it exits. */
  readonly run: (...args: string[]) => Promise<Result>
  /** Creates an account. @returns its token with the scope dns:write */
  readonly token: (email: string) => Promise<string>
  /** The records in PowerDNS: `name type ttl content`, sorted. Undefined if it does not have the zone. */
  readonly held: (zone: string) => Promise<string[] | undefined>
}

export async function powerDnsServers(kind: 'sqlite' | 'postgres', database?: string): Promise<PowerDnsServers> {
  const powerdns = await startPowerDns()
  const gateway = await startGateway(powerdns.url)
  const { cwd, [Symbol.asyncDispose]: removePlace } = await emptyPlace()
  const env = {
    SVC_DNS: `powerdns+${gateway.url}`,
    SVC_POWERDNS_KEY: powerdns.key,
    SVC_NAMESERVERS: 'ns1.svc.test,ns2.svc.test',
    ...(kind === 'postgres' && { SVC_DATABASE: database ?? (await migratedPostgres()) }),
  }
  const place: Place = { cwd, env }
  const servers: (Serving & AsyncDisposable)[] = []
  const run = async (...args: string[]): Promise<Result> => svc(args, place)

  return {
    powerdns,
    gateway,
    place,
    run,
    serve: async (more) => {
      const server = await svcServe({ cwd, env: { ...env, ...more } })
      servers.push(server)
      return server
    },
    token: (email) => accountToken(place, email, 'dns:write'),
    held: (zone) => heldBy(powerdns, zone),
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) await server[Symbol.asyncDispose]()
      await gateway.close()
      await powerdns.stop()
      await removePlace()
    },
  }
}

/** Calls the DNS API. @param path below /v1/dns/zones. @returns the answer and its duration in milliseconds */
export async function call(
  server: Pick<Serving, 'url'>,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Pick<Answer, 'status' | 'body'> & { readonly ms: number }> {
  const began = performance.now()
  const response = await fetch(`${server.url}/v1/dns/zones${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'], ms: performance.now() - began }
}
