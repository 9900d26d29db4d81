import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { closed, Id, PageData, PageQuery } from '../schema.js'
import { Deployment, deploymentFields, exampleDeployment, failingField, notShown } from './deployment.js'

/** Form, webhook and shortlink endpoints (specification, section 4.5). */

export * from './deployment-details.js'
export * from './deployment-uses.js'
export * from './submissions.js'
export * from './webhook-requests.js'

const ListedDeployment = Type.Object({ ...deploymentFields, failing: failingField }, open(notShown))

export const list = operation({
  id: 'deployments.list',
  method: 'GET',
  path: '/v1/deployments',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  touches: { kind: 'deployment', access: 'read' },
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
  touches: { kind: 'deployment', access: 'write', by: 'body.id' },
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
  touches: { kind: 'deployment', access: 'write', by: 'body.id' },
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
