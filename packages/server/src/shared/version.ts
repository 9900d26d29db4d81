import { readFileSync } from 'node:fs'

/**
 * The version of this software, which only the package.json of the repository has; what it speaks is `apiVersion` of the contract.
 */
export const version = (
  JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
