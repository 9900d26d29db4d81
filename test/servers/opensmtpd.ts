import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './ensure.js'
import { accepts, freePort, startProcess } from './process.js'

/** A mail server that delivers to a folder. It has one control socket on the machine: only one runs at a time. */
export interface OpenSmtpd {
  readonly port: number
  /** The messages that were delivered, as they came, with the headers of the delivery. */
  readonly delivered: () => string[]
  readonly stop: () => Promise<void>
}

/** Only root starts it. It takes e-mails to `example.org`, and refuses all others. */
export async function startOpenSmtpd(): Promise<OpenSmtpd> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-opensmtpd-'))
  const mails = join(folder, 'mails')
  // Messages are delivered by the user `nobody`.
  chmodSync(folder, 0o755)
  mkdirSync(mails)
  chmodSync(mails, 0o777)
  const port = await freePort()
  const file = join(folder, 'smtpd.conf')
  writeFileSync(file, configuration(port, mails))
  const running = await startProcess({
    command: ensure('smtpd'),
    args: ['-d', '-f', file],
    log: join(folder, 'smtpd.log'),
    ready: () => accepts(port),
  })
  return {
    port,
    delivered: () => filesIn(join(mails, 'new')),
    stop: async () => {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const configuration = (port: number, mails: string): string => `
table users { "@example.org" = "nobody" }
listen on 127.0.0.1 port ${String(port)}
action "keep" maildir "${mails}" virtual <users>
match from any for domain "example.org" action "keep"
`

/** The folder exists after the first delivery. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return []
  }
}
