import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './ensure.js'
import { accepts, freePort, startProcess, type Running } from './process.js'

/** An SMS gateway with a simulated SMSC. */
export interface Kannel {
  /**
   * Lets an SMS arrive at the SMSC.
   * @param message of `fakesmsc`: `+4915550100 13013 text hello`, or with UTF-16BE in percent-encoding `+4915550100 13013 ucs2 %00h`
   */
  receive(message: string): Promise<void>
  /** Ends all processes and removes their files. */
  stop(): Promise<void>
}

/** @param postUrl the `post-url` of its service for inbound messages */
export async function startKannel(postUrl: string): Promise<Kannel> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kannel-'))
  const running: Running[] = []
  const [adminPort, smsboxPort, smscPort, sendPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const file = join(folder, 'kannel.conf')
  writeFileSync(file, configuration({ adminPort, smsboxPort, smscPort, sendPort, postUrl }))

  const start = async (program: string, args: readonly string[], ready: () => boolean | Promise<boolean>) => {
    const log = join(folder, `${program}.log`)
    const box = await startProcess({ command: ensure(program), args, log, ready, cwd: folder })
    running.unshift(box)
    return box
  }
  const stop = async () => {
    // bearerbox waits for seconds before it ends by itself.
    await Promise.all(running.map((box) => box.stop('SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    await start('bearerbox', [file], async () => (await accepts(smsboxPort)) && accepts(smscPort))
    await start('smsbox', [file], () => accepts(sendPort))
  } catch (error) {
    await stop()
    throw error
  }
  let phone: Running | undefined
  return {
    receive: async (message) => {
      // The SMSC accepts one phone at a time, and a phone stays until it is ended.
      await phone?.stop('SIGKILL')
      phone = await start('fakesmsc', ['-H', '127.0.0.1', '-r', String(smscPort), '-m', '1', message], () => true)
    },
    stop,
  }
}

interface Ports {
  readonly adminPort: number
  readonly smsboxPort: number
  readonly smscPort: number
  readonly sendPort: number
}

const configuration = ({ adminPort, smsboxPort, smscPort, sendPort, postUrl }: Ports & { postUrl: string }) => `
group = core
admin-port = ${String(adminPort)}
admin-password = unused
admin-interface = "127.0.0.1"
smsbox-port = ${String(smsboxPort)}
smsbox-interface = "127.0.0.1"
box-allow-ip = "127.0.0.1"

group = smsc
smsc = fake
smsc-id = FAKE
port = ${String(smscPort)}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${String(sendPort)}
sendsms-interface = "127.0.0.1"
http-request-retry = 3
http-queue-delay = 1

group = sms-service
keyword = default
catch-all = true
post-url = "${postUrl}"
max-messages = 0
send-sender = true
`
