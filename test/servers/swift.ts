import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensure } from './ensure.js'
import { freePort, startProcess, type Running } from './process.js'
import { unprivileged } from './unprivileged.js'

const run = promisify(execFile)

/** An OpenStack Swift: four servers, a memcached, one disk. */
export interface Swift {
  /** URL of its S3 API: `http://127.0.0.1:<port>` */
  readonly url: string
  readonly accessKey: string
  readonly secretKey: string
  /** Creates an empty bucket. @returns its name */
  createBucket(): Promise<string>
  /** Stops its processes with SIGSTOP: connections are accepted, and no byte is answered. */
  pause(): void
  resume(): void
  /** Ends its processes and removes its files. */
  stop(): Promise<void>
}

const storage = ['account', 'container', 'object'] as const
const account = { user: 'test:tester', key: 'testing' }

/** Starts a separate Swift in a temporary folder. Its hash prefix is the one of Debian's /etc/swift/swift.conf. */
export async function startSwift(): Promise<Swift> {
  ensure('memcached')
  ensure('swift-proxy-server')
  const folder = mkdtempSync(join(tmpdir(), 'svc-swift-'))
  const user = unprivileged('swift', folder)
  const runAsUser = (command: string[]) => {
    const [program, ...args] = user(command)
    return run(program, args)
  }
  const started: Running[] = []
  const stop = async () => {
    await Promise.all(started.map((running) => running.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await runAsUser(['mkdir', join(folder, 'disk')])
    const [proxyPort, cachePort] = [await freePort(), await freePort()]
    const start = async (name: string, port: number, command: string[]): Promise<void> => {
      const [program, ...args] = user(command)
      const log = join(folder, `${name}.log`)
      started.push(await startProcess({ command: program, args, log, ready: () => accepts(port), deadlineMs: 60_000 }))
    }
    for (const name of storage)
      writeFileSync(join(folder, `${name}.conf`), defaults(folder, await freePort()) + storageSections(name))
    writeFileSync(join(folder, 'proxy.conf'), defaults(folder, proxyPort) + proxySections(cachePort))
    await Promise.all([
      start('memcached', cachePort, [ensure('memcached'), '-l', '127.0.0.1', '-p', String(cachePort)]),
      start('swift', proxyPort, ['/usr/bin/python3', '-c', servers, folder]),
    ])
    const url = `http://127.0.0.1:${proxyPort}`
    const signalAll = (signal: NodeJS.Signals) => {
      for (const { pid } of started) process.kill(pid, signal)
    }
    return {
      url,
      accessKey: account.user,
      secretKey: account.key,
      stop,
      createBucket: () => createBucket(url),
      pause: () => signalAll('SIGSTOP'),
      resume: () => signalAll('SIGCONT'),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const defaults = (folder: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
swift_dir = ${folder}
devices = ${folder}
mount_check = false
`

const storageSections = (name: string): string => `[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`

/**
 * Serves all four in one process, as Swift's in-process functional tests do: each of Swift's programs takes more than a second of
 * CPU time to start. One copy of everything, on the device `disk`. Only Debian's Python has the module.
 */
const servers = `
import os, sys, traceback
from swift.common import utils, wsgi
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder
utils.eventlet_monkey_patch()
import eventlet
import eventlet.wsgi
folder = sys.argv[1]
utils.validate_configuration()

def file_of(name):
    return '%s/%s.conf' % (folder, name)

def conf_of(name):
    return wsgi.appconfig(file_of(name), name=name + '-server')

def serve(app, listening):
    try:
        eventlet.wsgi.server(
            listening, app, utils.NullLogger(), protocol=SwiftHttpProtocol, capitalize_response_headers=False)
    except Exception:
        traceback.print_exc()
    os._exit(1)

storage = ('account', 'container', 'object')
for name in storage:
    builder = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
    port = int(conf_of(name)['bind_port'])
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'disk', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save('%s/%s.ring.gz' % (folder, name))
# The proxy comes last: it accepts connections when all others do.
for name in (*storage, 'proxy'):
    app = wsgi.loadapp(file_of(name), global_conf={'log_name': name})
    served = eventlet.spawn(serve, app, wsgi.get_socket(conf_of(name)))
served.wait()
`

const proxySections = (cachePort: number): string => `[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api tempauth slo proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_${account.user.replace(':', '_')} = ${account.key} .admin
[filter:slo]
use = egg:swift#slo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
`

/** With Swift's own API, where a bucket is a container. */
async function createBucket(url: string): Promise<string> {
  const name = `test-${randomBytes(6).toString('hex')}`
  const { headers } = await fetch(`${url}/auth/v1.0`, {
    headers: { 'x-auth-user': account.user, 'x-auth-key': account.key },
  })
  const token = headers.get('x-auth-token') ?? ''
  const target = `${headers.get('x-storage-url') ?? ''}/${name}`
  const { status } = await fetch(target, { method: 'PUT', headers: { 'x-auth-token': token } })
  if (status !== 201) throw new Error(`Swift did not create the bucket: ${status}`)
  return name
}

/** Whether a server listens on a port of 127.0.0.1. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
