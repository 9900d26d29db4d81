import { Type } from 'typebox'
import { deploymentKinds, failingCountMax, type DeploymentKind } from '../limits.js'
import { added, open } from '../operation.js'
import { Id, Nullable, Time } from '../schema.js'

/** Schemas of a form, a webhook or a short link. */

/** The first part of the path of each kind: a form is at /f/<slug> of the content host. */
export const deploymentFolders: Readonly<Record<DeploymentKind, string>> = { form: 'f', webhook: 'h', shortlink: 'l' }

export const notShown = 'The fields of a deployment are not shown.'

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
