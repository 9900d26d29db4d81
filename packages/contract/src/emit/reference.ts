import { errorStatus } from '../errors.js'
import { errorsOf, toolNameOf, type Operation } from '../operation.js'
import type { AreaGroup } from './areas.js'
import { curl } from './curl.js'
import { fieldList } from './field-list.js'
import type { Json } from './json-schema.js'
import { byStatus, errorCondition, exampleRequestId, requiredScopesText } from './openapi/errors.js'

/** The reference of one area as Markdown, complete: for machines, and for readers without JavaScript. */

/** Where the reference of an area is served. */
export const referencePath = (area: string): string => `/reference/${area}.md`

/** The anchor of an operation in its area's reference: as GitHub makes one of the heading `POST /v1/dns/zones`. */
export const referenceAnchor = (op: Operation): string =>
  heading(op)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const heading = ({ method, path }: Operation) => `${method} ${path}`

/**
 * Every operation of an area: what it takes and answers, its errors, and its example as a command.
 * @param baseUrl where the API is reached; a slash at its end is ignored
 */
export function areaReference({ title, description, operations }: AreaGroup, options: { baseUrl: string }): string {
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  return [head(title, description, baseUrl), ...operations.map((op) => section(op, baseUrl))].join('\n')
}

const head = (title: string, description: string, baseUrl: string) => `# ${title}

> ${description}

One area of the svc Platform API at ${baseUrl}; [llms.txt](${baseUrl}/llms.txt) lists the others, and [openapi.json](${baseUrl}/v1/openapi.json) has all of them as OpenAPI 3.1.

Success is status 200 with \`{"success":true,"data":{…},"request_id":"req_…"}\`, an error \`{"success":false,"error":"<code>","message":"…","request_id":"req_…"}\`. Bodies are JSON, and unknown fields are refused. The commands below read the token from \`SVC_TOKEN\`.
`

function section(op: Operation, baseUrl: string): string {
  const blocks = [
    `## ${heading(op)}`,
    [`${op.summary}.`, op.description].filter(Boolean).join(' '),
    [`- Name: \`${toolNameOf(op)}\``, `- Access: ${requiredScopesText(op)}`, ...openItem(op)].join('\n'),
    ...fieldList('Path', op.params),
    ...fieldList('Query', op.query),
    ...fieldList('Body', op.body),
    ...otherBodies(op),
    ...answer(op),
    `Errors:\n\n${byStatus(errorsOf(op))
      .flatMap(([, codes]) => codes.map(errorItem))
      .join('\n')}`,
    `Example:\n\n\`\`\`sh\n${curl(op, baseUrl)}\n\`\`\``,
    ...exampleAnswer(op),
  ]
  return `${blocks.join('\n\n')}\n`
}

const openItem = ({ open }: Operation) => (open === undefined ? [] : [`- Chosen by this implementation: ${open}`])

const errorItem = (code: keyof typeof errorStatus) =>
  `- ${String(errorStatus[code])} \`${code}\`: ${errorCondition(code)}`

const otherBodies = ({ otherBodies: types = {} }: Operation) =>
  Object.entries(types).map(([type, why]) => `The body may come as \`${type}\` too. ${why}`)

function answer(op: Operation): string[] {
  const raw = op.produces === undefined ? [] : [`Answers ${op.produces.join(' or ')}, without the envelope.`]
  return [...raw, ...fieldList('`data` of the answer', op.data, { isAnswer: true })]
}

function exampleAnswer({ example: { data } }: Operation): string[] {
  if (data === undefined) return []
  const envelope = { success: true, data: data as Json, request_id: exampleRequestId }
  return [`Its answer:\n\n\`\`\`json\n${JSON.stringify(envelope, null, 2)}\n\`\`\``]
}
