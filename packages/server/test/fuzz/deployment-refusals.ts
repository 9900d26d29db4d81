import type { Refusal } from './refusal.js'

/** Input of forms, webhooks and short links that the schemas of the contract allow and the server refuses. */

const existingDays: Refusal = {
  message: /^(since|until) must be a day/,
  why: 'Many JSON Schema validators do not check `format`, and a pattern cannot count the days of a month.',
  example: { query: { since: '2026-02-30' } },
}

export const formId = 11
const shortLinkId = 12
export const takenSlug = 'taken'

/** @param body has a target that is not a URL */
const deploymentUrls = (body: Readonly<Record<string, unknown>>): Refusal[] => [
  {
    message: /^(target|form\.(next_urls|origins)\[\d\]) must /,
    why: 'Only a parser of URLs knows which texts are URLs.',
    example: { body },
  },
  {
    message: /^shortlink\.expires_at must be a time/,
    why: 'A pattern cannot tell the days of a month.',
    example: { body: { ...body, target: 'http://a.example', shortlink: { expires_at: '2027-02-31T00:00:00Z' } } },
  },
]

const onlyForms = (example: Refusal['example']): Refusal => ({
  message: /^id names a (shortlink|webhook): only forms have submissions/,
  why: 'The kind of the deployment is not in the request.',
  example,
})

/** @param example with the id of a form */
const onlyWebhooks = (example: Refusal['example']): Refusal => ({
  message: /^id must be the id of a webhook/,
  why: 'The kind of the deployment is not in the request.',
  example,
})

/** By operation id. */
export const deploymentRefusals: Readonly<Record<string, readonly Refusal[]>> = {
  'deployments.create': [
    {
      message: /^(kind|target|form|shortlink|webhook) (webhook )?is /,
      why: 'The kind decides which fields belong to it. Code generators handle a flat object better than conditions.',
      example: { body: { kind: 'shortlink' } },
    },
    ...deploymentUrls({ kind: 'shortlink', target: 'x' }),
    {
      message: /^slug "[^"]+" is taken/,
      why: 'The slugs of other deployments are not in the request.',
      example: { body: { kind: 'form', slug: takenSlug } },
    },
  ],
  'deployments.update': [
    {
      message: /^(target|form|shortlink|webhook) is /,
      why: 'The kind of the deployment is not in the request.',
      example: { body: { id: formId, shortlink: {} } },
    },
    ...deploymentUrls({ id: shortLinkId, target: 'x' }),
  ],
  'deployments.requests': [onlyWebhooks({ params: { id: formId } }), existingDays],
  'deployments.request': [onlyWebhooks({ params: { id: formId, request_id: 1 } })],
  'deployments.redeliver': [onlyWebhooks({ body: { id: formId, request_id: 1 } })],
  'deployments.redeliverFailed': [onlyWebhooks({ body: { id: formId } })],
  'deployments.rotateSecret': [onlyWebhooks({ body: { id: formId } })],
  'deployments.submissions': [onlyForms({ params: { id: shortLinkId } }), existingDays],
  'deployments.submissionsExport': [onlyForms({ params: { id: shortLinkId } })],
  'deployments.submissionDelete': [onlyForms({ body: { id: shortLinkId, submission_id: 1 } })],
  'deployments.submissionsDelete': [onlyForms({ body: { id: shortLinkId, submission_ids: [1] } })],
}
