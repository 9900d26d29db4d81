import { request as requestHttp, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { checkServerIdentity, TLSSocket, type PeerCertificate } from 'node:tls'
import { codeOf } from '../../shared/private-file.js'
import type { Check } from './check.js'
import type { Report } from './finding.js'
import { isHealthOfSvc } from './ports.js'

export const requestMs = 6_000
/** Less than the limit of common CDNs. nginx refuses more than 1 MB by default. */
const largeBodyBytes = 100_000_000
const largeBodyMs = 3_000
const answerMaxBytes = 65_536
const dayMs = 86_400_000
const renewalDays = 14

/** Whether clients reach svc at the public URL, and its certificate. */
export const publicUrlCheck = (ca?: string): Check => ({
  section: 'public_url',
  deadlineMs: requestMs + largeBodyMs + 2_000,
  async run({ config: { publicUrl } }, report) {
    if (publicUrl === undefined) report.ok('Not checked: SVC_PUBLIC_URL is not set.')
    else
      await probe(`${publicUrl}/healthz`, { ca }, report, {
        answered: ({ text }) => checkAnswer(text, publicUrl, ca, report),
        failed: (error) => reportFailure(error, publicUrl, report),
      })
  },
})

async function checkAnswer(text: string, publicUrl: string, ca: string | undefined, report: Report): Promise<void> {
  if (isHealthOfSvc(text)) {
    report.ok(`svc answers on ${publicUrl}.`)
    await checkLargeBody(publicUrl, ca, report)
  } else
    report.error(
      `${publicUrl} is reachable, but svc does not answer there.`,
      'Start the server, and check the settings of the proxy.',
    )
}

/** Without hairpin NAT, a machine cannot reach its own public address, although others can. */
function reportFailure(error: Error, publicUrl: string, report: Report): void {
  const message = unreachable(publicUrl, error)
  if (error instanceof TooLate || ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(String(codeOf(error))))
    report.warning(
      message,
      'Open it from another machine. If it works there, the network does not lead this machine to its own public address.',
    )
  else report.error(message, 'Check the DNS records of the host, the proxy and the firewall.')
}

export const unreachable = (url: string, { message }: Error): string =>
  `${url} cannot be reached from this machine: ${message.replace(/\.$/, '')}.`

/** Whether the proxy lets large bodies through. Sends the header of an upload only, which svc refuses without a token. */
async function checkLargeBody(publicUrl: string, ca: string | undefined, report: Report): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(largeBodyBytes) }
  const remedy = 'See "Behind a reverse proxy" in docs/operating.md.'
  try {
    const { status } = await ask(`${publicUrl}/v1/files/upload`, {
      ca,
      method: 'POST',
      headers,
      timeoutMs: largeBodyMs,
    })
    if (status === 401) report.ok(`Bodies of ${String(largeBodyBytes / 1e6)} MB reach svc on ${publicUrl}.`)
    else if (status === 413)
      report.error(
        `The proxy at ${publicUrl} refuses bodies of ${String(largeBodyBytes / 1e6)} MB: uploads and deploys fail.`,
        `Remove its limit for bodies, in nginx with client_max_body_size 0. ${remedy}`,
      )
    else report.warning(`${publicUrl} answers a large upload without a token with ${String(status)}, not 401.`, remedy)
  } catch (error) {
    if (!(error instanceof TooLate)) throw error
    report.warning(
      `The proxy at ${publicUrl} reads whole bodies before it passes them on, so large uploads fill its disk.`,
      `Let it pass them on at once, in nginx with proxy_request_buffering off. ${remedy}`,
    )
  }
}

class TooLate extends Error {}

/** The certificate that a server presents, and whether it is trusted. */
export interface Presented {
  readonly certificate: Pick<PeerCertificate, 'valid_to' | 'subject' | 'subjectaltname'>
  /** Why the chain is not trusted; undefined for a trusted one. */
  readonly distrust: string | undefined
}

/** How to reach a host. */
export interface Access {
  /** The certificate authority to trust; that of the system by default. */
  readonly ca?: string | undefined
  readonly lookup?: LookupFunction
}

interface AskOptions extends Access {
  readonly method?: 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly present?: (presented: Presented) => void
}

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

interface Outcomes {
  readonly answered: (answer: Answer) => Promise<void> | void
  /** Also after an error of `answered`. */
  readonly failed: (error: Error) => void
}

/** Sends a GET request, and reports the certificate of the server after the outcome. */
export async function probe(url: string, access: Access, report: Report, outcomes: Outcomes): Promise<void> {
  const certificates: Presented[] = []
  const present = (presented: Presented) => void certificates.push(presented)
  await ask(url, { ...access, present })
    .then(outcomes.answered)
    .catch(outcomes.failed)
  for (const presented of certificates) reportCertificate(new URL(url).hostname, presented, Date.now(), report)
}

/** Also asks a server with an invalid certificate: nothing secret is sent. @throws TooLate; the error of the connection */
async function ask(url: string, { ca, present, timeoutMs = requestMs, ...rest }: AskOptions): Promise<Answer> {
  const { hostname } = new URL(url)
  const options = { agent: false, ...rest, headers: { accept: 'application/json', ...rest.headers } }
  return new Promise((resolve, reject) => {
    const answered = (answer: IncomingMessage): void => {
      textOf(answer)
        .then((text) => resolve({ status: answer.statusCode, headers: answer.headers, text }), reject)
        .finally(() => request.destroy())
    }
    const send = url.startsWith('https:') ? requestHttps : requestHttp
    const request: ClientRequest = send(url, { ...options, rejectUnauthorized: false, ...(ca && { ca }) }, answered)
    const timer = setTimeout(
      () => request.destroy(new TooLate(`no answer within ${String(timeoutMs / 1000)} seconds`)),
      timeoutMs,
    )
    request.on('socket', (socket) => {
      socket.once('secureConnect', () => {
        if (socket instanceof TLSSocket) present?.(presentedBy(socket, hostname))
      })
    })
    request.on('error', reject)
    request.on('close', () => clearTimeout(timer))
    // A body that the header announces is not sent.
    request.flushHeaders()
    if (rest.method === undefined) request.end()
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
  const renew = 'Renew it, and check why that did not happen by itself.'
  const mismatch = checkServerIdentity(bare(hostname), certificate as PeerCertificate)
  if (mismatch !== undefined)
    report.error(
      `The certificate is not for ${hostname}, but for ${certificate.subjectaltname ?? 'no name'}.`,
      `Get a certificate for ${hostname}, or correct SVC_PUBLIC_URL.`,
    )
  if (end <= now) {
    report.error(`The certificate has expired on ${until}.`, renew)
    return
  }
  if (distrust !== undefined && distrust !== 'CERT_HAS_EXPIRED')
    report.error(
      `Clients do not trust the certificate: ${distrust}.`,
      'Configure the proxy to send the whole chain of a public certificate authority.',
    )
  if (days < renewalDays) report.warning(`The certificate expires in ${String(days)} days, on ${until}.`, renew)
  else if (mismatch === undefined && distrust === undefined) report.ok(`The certificate is valid until ${until}.`)
}
