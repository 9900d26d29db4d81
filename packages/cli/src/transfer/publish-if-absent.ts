import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { areas } from '@svc/contract'
import { SvcError, type Answer, type Caller } from '@svc/client'
import { OperatorError } from '@svc/server'
import { sendForm } from './send-form.js'

/** `svc api packages publish --if-absent`: a CI job that runs again must not fail for the version that it has published. */

type Artifacts = ReadonlyMap<string, string>

/**
 * Publishes files. If the server refuses the version because it exists with the same artifacts, the answer is the existing version.
 * @throws the errors of `Caller`; OperatorError if the version has other artifacts, and if a file cannot be read
 */
export async function publishIfAbsent(
  call: Caller,
  input: Readonly<Record<string, unknown>>,
  files: readonly string[],
): Promise<Answer> {
  try {
    return await sendForm(call, areas.packages.publish, input, files)
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'bad_request') throw error
    const { slug, version } = input as { readonly slug: string; readonly version: string }
    const answer = await existing(call, slug, version)
    if (answer === undefined) throw error
    const difference = differenceOf(await digestsOf(files), answer.artifacts)
    if (difference !== undefined)
      throw new OperatorError(
        `${version} of ${slug} exists with other artifacts: ${difference}. Publish the next version.`,
      )
    return answer.answer
  }
}

/** The version in the form of the answer of publish. @returns undefined if it does not exist */
async function existing(
  call: Caller,
  slug: string,
  version: string,
): Promise<{ readonly answer: Answer; readonly artifacts: Artifacts } | undefined> {
  const answer = await call(areas.packages.get, { slug }).catch((error: unknown) => {
    if (error instanceof SvcError && error.code === 'not_found') return undefined
    throw error
  })
  if (answer?.kind !== 'json') return undefined
  const { package: shown, versions } = answer.envelope.data as {
    readonly package: object
    readonly versions: readonly {
      readonly version: string
      readonly artifacts: readonly { readonly name: string; readonly sha256: string }[]
    }[]
  }
  const published = versions.find((known) => known.version === version)
  if (published === undefined) return undefined
  const envelope = { ...answer.envelope, data: { package: shown, published } }
  return {
    answer: { kind: 'json', envelope },
    artifacts: new Map(published.artifacts.map(({ name, sha256 }) => [name, sha256])),
  }
}

async function digestsOf(files: readonly string[]): Promise<Artifacts> {
  const digests = new Map<string, string>()
  for (const file of files) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    digests.set(basename(file), hash.digest('hex'))
  }
  return digests
}

/** @returns the first difference; undefined for equal artifacts */
function differenceOf(given: Artifacts, published: Artifacts): string | undefined {
  for (const [name, sha256] of given) {
    const known = published.get(name)
    if (known === undefined) return `it has no ${name}`
    if (known !== sha256) return `${name} has other bytes`
  }
  const missing = [...published.keys()].find((name) => !given.has(name))
  return missing === undefined ? undefined : `it also has ${missing}`
}
