import { get as getHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import { checkServerIdentity, TLSSocket, type PeerCertificate } from 'node:tls'
import { codeOf } from '../../shared/private-file.js'
import type { Check } from './check.js'
import type { Report } from './finding.js'
import { isHealthOfSvc } from './ports.js'

const requestMs = 6_000
const answerMaxBytes = 65_536
const dayMs = 86_400_000
const renewalDays = 14

/** Whether clients reach svc at the public URL, and its certificate. */
export const publicUrlCheck = (ca?: string): Check => ({
  section: 'public_url',
  deadlineMs: requestMs + 2_000,
  async run({ config: { publicUrl } }, report) {
    if (publicUrl === undefined) report('ok', 'Not checked: SVC_PUBLIC_URL is not set.')
    else await checkUrl(publicUrl, ca, report)
  },
})

async function checkUrl(publicUrl: string, ca: string | undefined, report: Report): Promise<void> {
  const certificates: Presented[] = []
  try {
    const text = await healthAt(`${publicUrl}/healthz`, ca, (presented) => certificates.push(presented))
    if (isHealthOfSvc(text)) report('ok', `svc answers on ${publicUrl}.`)
    else
      report(
        'error',
        `${publicUrl} is reachable, but svc does not answer there.`,
        'Start the server, and check the settings of the proxy.',
      )
  } catch (error) {
    // Without hairpin NAT, a machine cannot reach its own public address, although others can.
    const isSilent =
      error instanceof TooLate || ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(String(codeOf(error)))
    report(
      isSilent ? 'warning' : 'error',
      `${publicUrl} cannot be reached from this machine: ${(error as Error).message.replace(/\.$/, '')}.`,
      isSilent
        ? 'Open it from another machine. If it works there, the network does not lead this machine to its own public address.'
        : 'Check the DNS records of the host, the proxy and the firewall.',
    )
  }
  const { hostname } = new URL(publicUrl)
  for (const presented of certificates) reportCertificate(hostname, presented, Date.now(), report)
}

class TooLate extends Error {}

/** The certificate that a server presents, and whether it is trusted. */
export interface Presented {
  readonly certificate: Pick<PeerCertificate, 'valid_to' | 'subject' | 'subjectaltname'>
  /** Why the chain is not trusted; undefined for a trusted one. */
  readonly distrust: string | undefined
}

/** Also of a server with an invalid certificate: nothing secret is sent. @throws TooLate; the error of the connection */
async function healthAt(url: string, ca: string | undefined, present: (presented: Presented) => void): Promise<string> {
  const { hostname } = new URL(url)
  const options = { agent: false, headers: { accept: 'application/json' } } as const
  return new Promise((resolve, reject) => {
    const answered = (answer: IncomingMessage): void => {
      textOf(answer).then(resolve, reject)
    }
    const request: ClientRequest = url.startsWith('https:')
      ? getHttps(url, { ...options, rejectUnauthorized: false, ...(ca !== undefined && { ca }) }, answered)
      : getHttp(url, options, answered)
    const timer = setTimeout(
      () => request.destroy(new TooLate(`no answer within ${String(requestMs / 1000)} seconds`)),
      requestMs,
    )
    request.on('socket', (socket) => {
      socket.once('secureConnect', () => {
        if (socket instanceof TLSSocket) present(presentedBy(socket, hostname))
      })
    })
    request.on('error', reject)
    request.on('close', () => clearTimeout(timer))
  })
}

function presentedBy(socket: TLSSocket, hostname: string): Presented {
  const certificate = socket.getPeerCertificate()
  // A wrong name is one of the reasons, and is reported separately.
  const isNameWrong = checkServerIdentity(bare(hostname), certificate) !== undefined
  const reason = socket.authorizationError as unknown
  const text = reason instanceof Error ? reason.message : (reason as string | null | undefined)
  return {
    certificate,
    distrust:
      socket.authorized || (isNameWrong && text === 'ERR_TLS_CERT_ALTNAME_INVALID') ? undefined : (text ?? undefined),
  }
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > answerMaxBytes) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** @param now milliseconds since the epoch */
export function reportCertificate(
  hostname: string,
  { certificate, distrust }: Presented,
  now: number,
  report: Report,
): void {
  const end = Date.parse(certificate.valid_to)
  const days = Math.floor((end - now) / dayMs)
  const until = new Date(end).toISOString().slice(0, 10)
  const mismatch = checkServerIdentity(bare(hostname), certificate as PeerCertificate)
  if (mismatch !== undefined)
    report(
      'error',
      `The certificate is not for ${hostname}, but for ${certificate.subjectaltname ?? 'no name'}.`,
      `Get a certificate for ${hostname}, or correct SVC_PUBLIC_URL.`,
    )
  if (end <= now) {
    report(
      'error',
      `The certificate has expired on ${until}.`,
      'Renew it, and check why that did not happen by itself.',
    )
    return
  }
  if (distrust !== undefined && distrust !== 'CERT_HAS_EXPIRED')
    report(
      'error',
      `Clients do not trust the certificate: ${distrust}.`,
      'Configure the proxy to send the whole chain of a public certificate authority.',
    )
  if (days < renewalDays)
    report(
      'warning',
      `The certificate expires in ${String(days)} days, on ${until}.`,
      'Renew it, and check why that did not happen by itself.',
    )
  else if (mismatch === undefined && distrust === undefined) report('ok', `The certificate is valid until ${until}.`)
}
