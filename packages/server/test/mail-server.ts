import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { simpleParser, type ParsedMail } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpConfig } from '../src/ports/mail/smtp-config.js'

/** A real SMTP server in the process, which keeps what it takes. */
export interface MailServer {
  readonly port: number
  /** The messages, parsed, in the order of their arrival. */
  readonly mails: ParsedMail[]
  /** The same as they came. */
  readonly sources: string[]
  /** How many connections were opened. */
  readonly connections: () => number
  readonly stop: () => Promise<void>
}

const mailFrom = { name: 'Example', address: 'svc@example.com' } as const

/** The configuration of a server on this machine. */
export const smtpAt = (port: number, others: Partial<SmtpConfig> = {}): SmtpConfig => ({
  host: '127.0.0.1',
  port,
  tls: 'none',
  credentials: undefined,
  from: mailFrom,
  ...others,
})

/** @param options of smtp-server; by default it has neither TLS nor a sign-in */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ParsedMail[] = []
  const sources: string[] = []
  let connections = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onConnect: (_session, done) => {
      connections += 1
      done()
    },
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const source = Buffer.concat(chunks)
        simpleParser(source).then((mail) => {
          sources.push(source.toString('latin1'))
          mails.push(mail)
          done()
        }, done)
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    mails,
    sources,
    connections: () => connections,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** A server that answers as a script says. */
export interface FaultyMailServer {
  readonly port: number
  /** All lines that clients have sent. */
  readonly lines: string[]
  readonly stop: () => Promise<void>
}

/**
 * @param greet called with each new connection
 * @param answer the reply to a line without its CRLF; undefined for none. Called with `.` at the end of a message, whose lines are skipped.
 */
export async function startFaultyMailServer(
  greet: (socket: Socket) => void,
  answer: (line: string, socket: Socket) => string | undefined,
): Promise<FaultyMailServer> {
  const lines: string[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    let rest = ''
    let isData = false
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1')
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (isData && line !== '.') continue
        isData = false
        lines.push(line)
        const reply = answer(line, socket)
        if (reply === undefined) continue
        isData = line === 'DATA' && reply.startsWith('354')
        socket.write(`${reply}\r\n`)
      }
    })
    greet(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

export const hello = (socket: Socket): void => void socket.write('220 mail.test ESMTP\r\n')

/** The replies of an honest server without extensions. */
export function honest(line: string): string {
  const [verb = ''] = line.toUpperCase().split(' ', 1)
  if (verb === 'DATA') return '354 Go ahead'
  if (verb === 'QUIT') return '221 Bye'
  return '250 Ok'
}
