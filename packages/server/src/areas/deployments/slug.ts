import { randomInt } from 'node:crypto'
import type { DeploymentKind } from '@svc/contract'

/** Letters and digits that are not easily confused. */
const characters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** The address of a webhook is its secret: 100 random bits. A short link is typed by people. */
const lengths: Readonly<Record<DeploymentKind, number>> = { form: 12, webhook: 20, shortlink: 8 }

export const randomSlug = (kind: DeploymentKind): string =>
  Array.from({ length: lengths[kind] }, () => characters.charAt(randomInt(characters.length))).join('')

/** Whether a text of a URL can be a slug. PostgreSQL would refuse some other texts, such as a NUL, with an error. */
export const isSlug = (text: string): boolean => /^[a-z0-9-]{1,63}$/.test(text)
