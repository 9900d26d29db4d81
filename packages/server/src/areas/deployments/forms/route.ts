import { ApiError } from '@svc/contract/errors'
import { ContentError, nothingHere, type EndpointAnswer } from '../../../http/answer.js'
import type { EndpointRequest, EndpointRoute } from '../../../http/area.js'
import { networkOf } from '../../../shared/network-of.js'
import type { Outbox } from '../../../ports/mail/outbox/outbox.js'
import type { DiskSpace } from '../../../ports/space/port.js'
import type { WithinMemory } from '../large-bodies.js'
import { networkLimit } from '../network-limit.js'
import { turns } from '../../../shared/turns.js'
import { fieldsToJson, refuseEmpty, toSubmission, type Submission } from './fields.js'
import type { FormStore } from './form-store.js'
import type { TellOwner } from './notice.js'
import { formOptionsOf, type FormOptions } from './options.js'
import { checkNext, corsHeaders, preflightHeaders } from './origin.js'
import { bodyMaxBytes, mediaTypeOf, readPairs } from './read-pairs.js'
import { thankYouPage } from './thank-you.js'

const userAgentMaxLength = 256

/** Submissions of one form from one network in a minute. */
const submissionsMax = 10

interface FormDependencies {
  readonly notices: { readonly tell: TellOwner } & Pick<Outbox, 'wake' | 'noteDropped'>
  readonly space: DiskSpace
  readonly withinMemory: WithinMemory
}

/** Forms, which store submissions. */
export function formRoute(store: FormStore, { space, withinMemory, notices }: FormDependencies): EndpointRoute {
  const countSubmission = networkLimit(submissionsMax, 'submissions')
  const oneEachTurn = turns()

  async function answer(request: EndpointRequest): Promise<EndpointAnswer> {
    const form = await store.find(request.params['slug'] ?? '')
    if (!form) throw nothingHere()
    if (request.method === 'GET' || request.method === 'HEAD') return { status: 200, body: explanation }
    const options = formOptionsOf(form)
    const cors = corsHeaders(options, request.header('origin'))
    if (request.method === 'OPTIONS') return { status: 204, headers: { ...cors, ...preflightHeaders } }
    try {
      space.require()
      countSubmission(form.id, request.ip)
      const sender = { ip: request.ip, deploymentId: form.id, accountId: form.accountId }
      const { status, headers, body } = await withinMemory(sender, async (read) =>
        receive(request, await read(request.body), form, options),
      )
      return { status, headers: { ...headers, ...cors }, ...(body !== undefined && { body }) }
    } catch (error) {
      throw withHeaders(error, cors)
    }
  }

  async function receive(
    request: EndpointRequest,
    body: Buffer,
    form: { readonly id: number; readonly accountId: number },
    options: FormOptions,
  ): Promise<EndpointAnswer> {
    // Parsing takes milliseconds.
    const pairs = await oneEachTurn(() => readPairs(request.header('content-type'), body))
    const submission = toSubmission(pairs)
    refuseEmpty(submission)
    const { next, isSpam } = submission
    const location = next === undefined ? undefined : checkNext(next, request.header('origin'), options)
    if (isSpam) return answerTo(request, location)
    const mail = notices.tell({ ...form, slug: request.params['slug'] ?? '' }, submission)
    const stored = await store.store(toRow(request, form.id, submission), mail)
    if (stored === false) throw nothingHere()
    if (mail !== undefined && stored.isMailDropped) notices.noteDropped(mail)
    notices.wake()
    return answerTo(request, location)
  }

  return {
    name: 'content.form',
    path: '/f/:slug',
    methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    maxBodyBytes: bodyMaxBytes,
    answer,
  }
}

const explanation = 'This is the address of a form: send its fields with POST.\n'

function toRow({ ip, header }: EndpointRequest, formId: number, { fields, subject }: Submission) {
  const { json, size } = fieldsToJson(fields)
  const userAgent = header('user-agent')?.slice(0, userAgentMaxLength) ?? ''
  return { formId, receivedAt: Date.now(), network: networkOf(ip), userAgent, subject, size, fields: json }
}

/** A script gets JSON, a browser the next page. */
function answerTo({ header }: EndpointRequest, location: string | undefined): EndpointAnswer {
  const isScript =
    mediaTypeOf(header('content-type')) === 'application/json' || /\bapplication\/json\b/i.test(header('accept') ?? '')
  if (isScript)
    return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{"ok":true}' }
  if (location !== undefined) return { status: 303, headers: { location } }
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: thankYouPage }
}

/** Adds headers to an error of the client, so that the script of a page can read it too. */
function withHeaders(error: unknown, headers: Readonly<Record<string, string>>): unknown {
  if (error instanceof ContentError || error instanceof ApiError)
    return new ContentError(error.status, error.message, { ...error.headers, ...headers })
  return error
}
