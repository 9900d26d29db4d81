import { readFileSync } from 'node:fs'

/** The release of this software; what it speaks is `apiVersion` of the contract. */
export const version = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
