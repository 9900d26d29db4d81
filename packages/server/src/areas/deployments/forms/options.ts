import { badRequest } from '@svc/contract/errors'
import { checkOrigin, checkUrl } from '../check-url.js'
import type { CheckTerms, Deployment } from '../deployment.js'

/** The options of a form, in the spelling of the contract. */
export interface FormOptions {
  /** URLs that `_next` may name, besides those of the site that the form is on. */
  readonly next_urls: readonly string[]
  /** The origins of the sites that may send the form; all if empty. */
  readonly origins: readonly string[]
}

const defaults: FormOptions = { next_urls: [], origins: [] }

export const formOptionsOf = ({ settings }: Pick<Deployment, 'settings'>): FormOptions =>
  JSON.parse(settings) as FormOptions

export const checkFormTerms: CheckTerms = ({ target, form, shortlink }, before) => {
  if (target !== undefined) throw badRequest('target', 'is not for forms: a form stores what it gets')
  if (shortlink !== undefined) throw badRequest('shortlink', 'is not for forms: send form')
  const { next_urls, origins } = { ...defaults, ...(before && formOptionsOf(before)), ...form }
  const options: FormOptions = {
    next_urls: next_urls.map((url, index) => checkUrl(`form.next_urls[${String(index)}]`, url)),
    origins: origins.map((origin, index) => checkOrigin(`form.origins[${String(index)}]`, origin)),
  }
  return { target: null, settings: JSON.stringify(options), secret: null, expiresAt: null, maxUses: null }
}
