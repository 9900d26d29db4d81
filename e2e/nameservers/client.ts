import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { framed, queryPacket, read, type AskOptions, type Reply } from '../../packages/server/test/dns-ask.js'

/** A client of one nameserver whose sockets stay open: new ones for each of 20,000 questions took half of the time. */
export interface NameserverClient {
  /** Waits for the reply; one question at a time. @throws after two seconds without a reply */
  readonly ask: (name: string, type: string, options: AskOptions) => Promise<Reply>
  readonly close: () => void
}

const waitMs = 2000

export async function nameserverClient(port: number): Promise<NameserverClient> {
  const host = '127.0.0.1'
  let answer: (message: Buffer) => void = () => undefined
  const udp = createSocket('udp4').on('message', (message) => answer(message))
  udp.connect(port, host)
  await once(udp, 'connect')
  let tcp: Socket | undefined

  function openTcp(): Socket {
    let got = Buffer.alloc(0)
    return connect({ port, host, noDelay: true }).on('data', (chunk: Buffer) => {
      got = Buffer.concat([got, chunk])
      if (got.length < 2 || got.length < 2 + got.readUInt16BE(0)) return
      const message = got.subarray(2, 2 + got.readUInt16BE(0))
      got = Buffer.alloc(0)
      answer(message)
    })
  }

  return {
    async ask(name, type, options) {
      const packet = queryPacket(name, type, options)
      if (options.tcp === true && tcp?.writable !== true) tcp = openTcp()
      const message = await new Promise<Buffer>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`No reply for ${name} ${type}.`)), waitMs)
        answer = (message) => {
          clearTimeout(timer)
          resolve(message)
        }
        if (options.tcp === true) tcp?.write(framed(packet))
        else udp.send(packet)
      })
      if (message.readUInt16BE(0) !== packet.readUInt16BE(0)) throw new Error(`Another id in the reply for ${name}.`)
      return read(message)
    },
    close: () => {
      udp.close()
      tcp?.destroy()
    },
  }
}
