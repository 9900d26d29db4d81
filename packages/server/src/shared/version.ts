import { readFileSync } from 'node:fs'

/** The package.json of the repository, or of a packaged copy: the only one with a version. */
const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
  readonly config: { readonly command: string }
}

/** The version of this software; what it speaks is `apiVersion` of the contract. */
export const { version } = manifest

/** How the command line of this copy is called, for messages: `npx svc` in the repository, `svc` if it is on the PATH. */
export const { command } = manifest.config
