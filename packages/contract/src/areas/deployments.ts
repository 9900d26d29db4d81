import { Type } from 'typebox'
import { deploymentKinds, failingCountMax, type DeploymentKind } from '../limits.js'
import { added, open, operation } from '../operation.js'
import { closed, Id, Nullable, PageData, PageQuery, Time } from '../schema.js'

/** Form, webhook and shortlink endpoints (specification, section 4.5). The console creates them. */

/** The first part of the path of each kind: a form is at /f/<slug> of the content host. */
export const deploymentFolders: Readonly<Record<DeploymentKind, string>> = { form: 'f', webhook: 'h', shortlink: 'l' }

const notShown = 'The fields of a deployment are not shown.'

export const deploymentFields = {
  id: Id('Id of the deployment'),
  kind: Type.Enum([...deploymentKinds]),
  slug: Type.String({ description: 'Last part of the address' }),
  url: Type.String({ format: 'uri', description: 'Address of the deployment' }),
  target: Nullable(Type.String(), { description: 'Where it redirects or forwards to; null if it does neither' }),
  enabled: Type.Boolean({ description: 'If false, its address answers 404' }),
  uses: Type.Integer({ minimum: 0, description: 'How often it was used' }),
  created_at: Time('When it was created'),
}

export const Deployment = Type.Object(deploymentFields, open(notShown))

export const exampleDeployment = {
  id: 9,
  kind: 'shortlink',
  slug: 'launch',
  url: 'http://content.localhost:8080/l/launch',
  target: 'https://example.com/launch',
  enabled: true,
  uses: 42,
  created_at: '2026-11-20T09:30:00.000Z',
} as const

/** How many deliveries of a webhook fail, and since when. */
export const failing = {
  count: Type.Integer({
    minimum: 1,
    maximum: failingCountMax,
    description: `How many requests fail; ${String(failingCountMax)} for more`,
  }),
  since: Time('When the first of them failed'),
}

/** Which deliveries of a webhook fail. */
export const failingField = Nullable(
  Type.Object(failing),
  added({
    description:
      'Kept requests of a webhook that its target has not accepted, those given up included; null if there are none',
  }),
)

const ListedDeployment = Type.Object({ ...deploymentFields, failing: failingField }, open(notShown))

export const list = operation({
  id: 'deployments.list',
  method: 'GET',
  path: '/v1/deployments',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  summary: 'List deployments with use counts',
  query: Type.Object(PageQuery),
  data: Type.Object({ deployments: Type.Array(ListedDeployment, open(`Newest first. ${notShown}`)), ...PageData }),
  example: {
    query: { limit: 100 },
    data: { deployments: [{ ...exampleDeployment, failing: null }], next: null, total: 1 },
  },
})

export const toggle = operation({
  id: 'deployments.toggle',
  method: 'POST',
  path: '/v1/deployments/toggle',
  access: { anyOf: ['deploy:write'] },
  summary: 'Enable or disable a deployment',
  body: Type.Object(
    {
      id: Id('Id of the deployment'),
      enabled: Type.Optional(
        Type.Boolean({ description: 'The new state; the opposite of the current one if left out' }),
      ),
    },
    open('The body of this request is not shown.', closed),
  ),
  data: Deployment,
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 9, enabled: false }, data: { ...exampleDeployment, enabled: false } },
})

const remove = operation({
  id: 'deployments.delete',
  method: 'POST',
  path: '/v1/deployments/delete',
  access: { anyOf: ['deploy:write'] },
  summary: 'Delete a deployment',
  body: Type.Object({ id: Id('Id of the deployment') }, open('The body of this request is not shown.', closed)),
  data: Type.Object(
    { id: Id('Id of the deleted deployment'), deleted: Type.Literal(true) },
    open('The answer is not shown: the id and `deleted`. The slug stays with the account, which can use it again.'),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 9 }, data: { id: 9, deleted: true } },
})

export { remove as delete }
