import type { Areas } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { LongJson } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import type { StagedFile } from '../../http/staged.js'
import type { Account } from '../../shared/account.js'
import { turns } from '../../shared/turns.js'
import { packageStore } from './package-store.js'
import type { PackagesParts } from './parts.js'
import { packageToJson, versionToJson } from './presenter.js'
import { byteLimits } from './storage/limits.js'
import { usageStore } from './storage/usage-store.js'
import { publishStore } from './versions/publish-store.js'
import { versionReader } from './versions/read-store.js'
import { precedenceOf } from './versions/version.js'

/** How many packages are read and written as JSON in one turn of the event loop. */
const packagesInTurn = 200

/** Packages, their versions and download counts (specification, section 4.5). */
export function packageHandlers({
  database,
  limits,
  contentUrl,
  removeBlobs,
}: PackagesParts): Handlers<Areas['packages']> {
  const packages = packageStore(database)
  const publishing = publishStore(database, limits)
  const usage = usageStore(database)
  const versionsOf = versionReader(database)
  const oneEachTurn = turns()

  async function* pagesOf(account: Account): AsyncGenerator<string> {
    for (let after = ''; ;) {
      const page = await oneEachTurn(() => packages.page(account, after, packagesInTurn))
      yield JSON.stringify(page.map(packageToJson))
      const last = page.at(-1)
      if (last === undefined || page.length < packagesInTurn) return
      after = last.slug
    }
  }

  return {
    list: async (_, { account }) => new LongJson(await listPieces('{"packages":[', pagesOf(account))),

    async get({ params }, { account }) {
      const found = await packages.get(account, params.slug)
      const json = async function* () {
        for await (const batch of versionsOf(found))
          yield JSON.stringify(batch.map((version) => versionToJson(contentUrl, found.slug, version)))
      }
      return new LongJson(await listPieces(`{"package":${JSON.stringify(packageToJson(found))},"versions":[`, json()))
    },

    publish: {
      limit: async ({ account }, { slug, version }) => {
        if (slug !== undefined) await publishing.check(account, slug, version && precedenceOf(version))
        return byteLimits(await usage.of(account), limits)
      },
      handle: async ({ body, bytes: { files, keep } }, { account }) => {
        const { slug, version, name, description } = body
        requireDifferent(files)
        const artifacts = files.map((file) => ({ ...file, downloads: 0 }))
        const publishedAt = Date.now()
        const given = { version, precedence: precedenceOf(version), artifacts }
        const published = await publishing.publish(account, slug, { name, description }, given, publishedAt)
        keep()
        return {
          package: packageToJson(published),
          published: versionToJson(contentUrl, slug, { version, downloads: 0, publishedAt, artifacts }),
        }
      },
    },

    async update({ body: { slug, name, description } }, { account }) {
      return { package: packageToJson(await packages.change(account, slug, { name, description })) }
    },

    async delete({ body: { slug } }, { account }) {
      removeBlobs(await packages.remove(account, slug))
      return { slug, deleted: true }
    },
  }
}

/**
 * Joins JSON arrays to one, in pieces.
 * @param start the object up to and with the bracket of the array, which ends the object
 */
async function listPieces(start: string, arrays: AsyncIterable<string>): Promise<Buffer[]> {
  const pieces = [Buffer.from(start)]
  for await (const array of arrays) {
    if (array === '[]') continue
    pieces.push(Buffer.from((pieces.length > 1 ? ',' : '') + array.slice(1, -1)))
  }
  return [...pieces, Buffer.from(']}')]
}

/** Names that differ only in case are one file on some systems. @throws ApiError `bad_request` */
function requireDifferent(files: readonly StagedFile[]): void {
  const names = new Map<string, string>()
  for (const { name } of files) {
    const earlier = names.get(name.toLowerCase())
    if (earlier !== undefined)
      throw badRequest(
        'artifacts',
        earlier === name
          ? `has ${name} twice: each artifact of a version needs another name`
          : `has ${earlier} and ${name}: names of one version must differ in more than upper and lower case`,
      )
    names.set(name.toLowerCase(), name)
  }
}
