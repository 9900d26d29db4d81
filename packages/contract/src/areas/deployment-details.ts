import { Type } from 'typebox'
import { deploymentKinds, slugPattern } from '../limits.js'
import { added, byRule, operation } from '../operation.js'
import { closed, Id, Nullable, PathId, Time } from '../schema.js'
import { deploymentFields, exampleDeployment } from './deployment.js'
import {
  exampleFormOptions,
  exampleShortlinkOptions,
  FormOptions,
  ShortlinkOptions,
  WebhookDetail,
} from './deployment-options.js'

/** Forms, webhooks and short links: created, changed and shown with their options. */

const target = {
  ...byRule({ maxLength: 2048 }),
  description: 'An absolute http or https URL: where a short link redirects, or a webhook forwards',
}

/** The options of each kind. Those of another kind are refused. */
const options = {
  form: Type.Optional(Type.Partial(FormOptions, { ...closed, description: 'Options of a form' })),
  shortlink: Type.Optional(Type.Partial(ShortlinkOptions, { ...closed, description: 'Options of a short link' })),
}

const DeploymentDetail = Type.Object(
  {
    ...deploymentFields,
    form: Type.Optional(FormOptions),
    shortlink: Type.Optional(ShortlinkOptions),
    webhook: Type.Optional(WebhookDetail),
    updated_at: Time('When it was last changed'),
  },
  added({}),
)

const example = { ...exampleDeployment, shortlink: exampleShortlinkOptions, updated_at: exampleDeployment.created_at }

export const create = operation({
  id: 'deployments.create',
  method: 'POST',
  path: '/v1/deployments/create',
  access: { anyOf: ['deploy:write'] },
  touches: { kind: 'deployment', access: 'write', by: 'body.slug' },
  addition: true,
  summary: 'Create a form, a webhook or a short link',
  body: Type.Object(
    {
      kind: Type.Enum([...deploymentKinds]),
      slug: Type.Optional(
        Type.String({
          pattern: slugPattern,
          description: 'Last part of the address: 1 to 63 lower-case letters, digits and hyphens; random by default',
        }),
      ),
      target: Type.Optional(Type.String(target)),
      enabled: Type.Optional(Type.Boolean({ default: true, description: 'If false, its address answers 404' })),
      ...options,
    },
    added(closed),
  ),
  data: DeploymentDetail,
  example: {
    body: { kind: 'shortlink', slug: 'launch', target: exampleDeployment.target, shortlink: { status: 302 } },
    data: { ...example, uses: 0 },
  },
})

export const update = operation({
  id: 'deployments.update',
  method: 'POST',
  path: '/v1/deployments/update',
  access: { anyOf: ['deploy:write'] },
  touches: { kind: 'deployment', access: 'write', by: 'body.id' },
  showsSecrets: 'in part',
  addition: true,
  summary: 'Change the target and the options of a deployment',
  description: 'Only supplied fields change.',
  body: Type.Object(
    { id: Id('Id of the deployment'), target: Type.Optional(Nullable(Type.String(target), target)), ...options },
    added(closed),
  ),
  data: DeploymentDetail,
  errors: ['not_found', 'forbidden'],
  example: {
    body: { id: 9, target: exampleDeployment.target, shortlink: { forward_query: true } },
    data: { ...example, shortlink: { ...exampleShortlinkOptions, forward_query: true } },
  },
})

export const get = operation({
  id: 'deployments.get',
  method: 'GET',
  path: '/v1/deployments/{id}',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  touches: { kind: 'deployment', access: 'read', by: 'params.id' },
  showsSecrets: 'in part',
  addition: true,
  summary: 'Get one deployment with its options',
  params: Type.Object({ id: PathId('Id of the deployment') }),
  data: DeploymentDetail,
  errors: ['not_found', 'forbidden'],
  example: {
    params: { id: '9' },
    data: { ...exampleDeployment, kind: 'form', form: exampleFormOptions, updated_at: exampleDeployment.created_at },
  },
})
