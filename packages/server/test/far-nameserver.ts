import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { limits, type Limits } from '../src/nameserver/limits.js'
import { startNameserver, type Nameserver } from '../src/nameserver/nameserver.js'
import { catalogName, primaryKey } from './fake-primary.js'

export const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'svc-far-'))

export interface FarOptions {
  /** The port of the primary on 127.0.0.1. */
  readonly primary: number
  readonly data: string
  readonly log?: Logger
  readonly limits?: Partial<Limits>
}

/** Limits with which a test waits for less than a second. */
const shortTimes = { tickMs: 50, firstRetryMs: 50, connectMs: 500, idleMs: 300, transferMs: 2_000, udpMs: [200] }

/** Starts a far nameserver on free ports. */
export const startFar = ({
  primary,
  data,
  log = pino({ level: 'silent' }),
  limits: own,
}: FarOptions): Promise<Nameserver> =>
  startNameserver(
    {
      catalog: catalogName,
      data,
      dnsHost: ['127.0.0.1'],
      dnsPort: 0,
      rateLimit: 0,
      host: '127.0.0.1',
      port: 0,
      logLevel: 'silent',
      primary: { host: '127.0.0.1', port: primary },
      key: { ...primaryKey, secret: Buffer.from(primaryKey.secret) },
    },
    log,
    { ...limits, ...shortTimes, ...own },
  )

export const portOf = ({ addresses }: Nameserver): number => addresses[0]?.port ?? 0
