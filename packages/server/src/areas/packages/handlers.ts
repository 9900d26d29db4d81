import type { Areas } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { longList } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import type { StagedFile } from '../../http/staged.js'
import type { Account } from '../../shared/account.js'
import { allows } from '../../shared/rules.js'
import { turns } from '../../shared/turns.js'
import { packageStore, type PackageStore } from './package-store.js'
import type { PackagesDependencies } from './dependencies.js'
import { listedVersionJson, packageFolder, packageToJson, versionToJson, type ListedPackage } from './presenter.js'
import { byteLimits, packageLimitsOf } from './storage/limits.js'
import { usageStore } from './storage/usage-store.js'
import { publishStore } from './versions/publish-store.js'
import { versionReader } from './versions/read-store.js'
import { precedenceOf } from './versions/version.js'

/** How many packages are read and written as JSON in one turn of the event loop. */
const packagesInTurn = 50

/** Packages, their versions and download counts (specification, section 4.5). */
export function packageHandlers({
  database,
  limits,
  contentUrl,
  removeBlobs,
}: PackagesDependencies): Handlers<Areas['packages']> {
  const packages = packageStore(database)
  const publishing = publishStore(database, limits)
  const usage = usageStore(database)
  const versionsOf = versionReader(database, (slug) => packageFolder(contentUrl, slug))
  const pagesOf = pageReader(packages)

  return {
    list: (_, { account }) =>
      longList('{"packages":[', pagesOf(account), (listed) => JSON.stringify(packageToJson(listed))),

    async get({ params }, { account }) {
      const found = await packages.get(account, params.slug)
      const start = `{"package":${JSON.stringify(packageToJson(found))},"versions":[`
      return longList(start, versionsOf(found), listedVersionJson)
    },

    publish: {
      limit: async ({ account }, { slug, version }) => {
        if (slug !== undefined) await publishing.check(account, slug, version && precedenceOf(version))
        return byteLimits(await usage.of(account), packageLimitsOf(account, limits))
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

/** Reads the packages of an account in pages. One page in each turn of the event loop. */
function pageReader(packages: PackageStore) {
  const oneEachTurn = turns()
  return async function* (account: Account): AsyncGenerator<ListedPackage[]> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after
      const page = await oneEachTurn(() => packages.page(account, from, packagesInTurn))
      const { rules } = account
      yield rules === undefined
        ? page
        : page.filter(({ slug }) => allows(rules, { kind: 'package', name: slug, access: 'read' }))
      after = page.length < packagesInTurn ? undefined : page.at(-1)?.slug
    }
  }
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
