import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { buildZip } from '../../../../test/built-zip.js'
import { siteLimits, siteStorage, type SiteStorage } from '../../../../test/site-storage.js'
import type { Account } from '../../../shared/account.js'
import { byteLimits } from '../limits.js'
import { cleanUpJob } from '../versions/clean-up.js'
import { cleanUpStore } from '../versions/clean-up-store.js'
import { contentStore } from '../versions/content-store.js'
import { unusedMs, versionStore } from '../versions/version-store.js'
import { Deployer, type DeployerDependencies } from './deployer.js'

/** Deploys that wait, end early, or meet those of other processes: on PostgreSQL, where their units run at the same time. */

let site: SiteStorage
let account: Account
let nextAccount = 0
beforeAll(async () => {
  site = await siteStorage('postgres')
})
afterAll(() => site.stop())
beforeEach(() => {
  account = site.people[nextAccount++] as Account
})

const zip = buildZip([{ name: 'index.html', data: 'Home' }])

const deployerWith = (changes: Partial<DeployerDependencies>, times: { waitMs: number; deployMs: number }) =>
  new Deployer(
    {
      blobs: site.blobs,
      intake: site.intake,
      limits: siteLimits,
      parseRules: () => ({}),
      contents: contentStore(site.db, siteLimits),
      versions: versionStore(site.db),
      sites: site.sites,
      ...changes,
    },
    times,
  )

/** Versions whose beginning waits until the test lets it go on. */
function heldVersions() {
  const gate = new EventTarget()
  const begun = once(gate, 'begun')
  const versions = versionStore(site.db)
  const begin: DeployerDependencies['versions']['begin'] = async (...args) => {
    gate.dispatchEvent(new Event('begun'))
    await once(gate, 'release')
    return versions.begin(...args)
  }
  return { versions: { ...versions, begin }, begun, release: () => gate.dispatchEvent(new Event('release')) }
}

it('502 upstream_error while another deploy of the account runs for too long', async () => {
  const { versions, begun, release } = heldVersions()
  const deployer = deployerWith({ versions }, { waitMs: 20, deployMs: 60_000 })
  const first = site.deployZip(deployer, account, 'first', zip)
  await begun
  await expect(site.deployZip(deployer, account, 'second', zip)).rejects.toThrow(
    'Too many sites are being deployed at the moment. Repeat the request.',
  )
  release()
  expect((await first).name).toBe('first')
})

it('two deploys run at a time, and a further account waits', async () => {
  const others = [site.people[nextAccount++] as Account, site.people[nextAccount++] as Account]
  const held = [heldVersions(), heldVersions()]
  let next = 0
  const versions = {
    ...versionStore(site.db),
    begin: ((...args) => held[next++]!.versions.begin(...args)) as DeployerDependencies['versions']['begin'],
  }
  const deployer = deployerWith({ versions }, { waitMs: 20, deployMs: 60_000 })
  const running = [site.deployZip(deployer, account, 'a', zip), site.deployZip(deployer, others[0]!, 'b', zip)]
  await Promise.all(held.map(({ begun }) => begun))
  await expect(site.deployZip(deployer, others[1]!, 'c', zip)).rejects.toThrow('Too many sites')
  for (const { release } of held) release()
  await Promise.all(running)
})

it('the wait for the account and the wait for a slot share one deadline', async () => {
  const [bob, cid, dan] = [1, 2, 3].map(() => site.people[nextAccount++] as Account) as [Account, Account, Account]
  const held = [heldVersions(), heldVersions(), heldVersions()] as const
  let next = 0
  const versions = {
    ...versionStore(site.db),
    begin: ((...args) => held[next++]!.versions.begin(...args)) as DeployerDependencies['versions']['begin'],
  }
  const deployer = deployerWith({ versions }, { waitMs: 1_000, deployMs: 60_000 })
  const archive = await site.put(zip)
  const running = [deployer.deploy(account, 'share-one', archive)]
  await held[0].begun
  running.push(deployer.deploy(bob, 'share-two', archive))
  await held[1].begun
  running.push(deployer.deploy(cid, 'share-three', archive))
  const failed: string[] = []
  const fails = (who: string, deployed: Promise<unknown>) => deployed.catch(() => failed.push(who))
  const waiting = [fails('since the beginning', deployer.deploy(account, 'share-four', archive))]
  await once(AbortSignal.timeout(500), 'abort')
  waiting.push(fails('since half of the time', deployer.deploy(dan, 'share-five', archive)))
  held[0].release()
  await Promise.all(waiting)
  expect(failed).toEqual(['since the beginning', 'since half of the time'])
  await held[2].begun
  for (const { release } of held) release()
  await Promise.all(running)
  await site.intake.discard(archive.key)
})

it.each([
  ['the server stops', 60_000, 'The server is stopping. Repeat the request: the site is unchanged.'],
  ['it takes too long', 1, 'and was given up: the site is unchanged.'],
])('a deploy ends when %s', async (_why, deployMs, message) => {
  const { versions, begun, release } = heldVersions()
  const deployer = deployerWith({ versions }, { waitMs: 1_000, deployMs })
  const deployed = site.deployZip(deployer, account, `ends-${deployMs}`, zip)
  const refused = expect(deployed).rejects.toThrow(message)
  // `refused` checks the error.
  await Promise.race([begun, deployed.catch(() => undefined)])
  if (deployMs > 1) deployer.close()
  else await once(AbortSignal.timeout(50), 'abort')
  release()
  await refused
  expect(await site.sql(`select id from site where name = 'ends-${deployMs}'`)).toEqual([])
  if (deployMs > 1) await expect(site.deployZip(deployer, account, 'later', zip)).rejects.toThrow(message)
})

it('contents that another process has stored meanwhile are not stored twice', async () => {
  await site.deploy(account, 'one', { 'index.html': 'Home' })
  const before = await site.stored()
  const contents = { ...contentStore(site.db, siteLimits), claim: () => Promise.resolve([]) }
  await site.deployZip(site.deployer({ contents }), account, 'two', zip)
  expect(await site.stored()).toEqual(before)
  expect(await site.served(account, 'two')).toEqual({ 'index.html': 'Home' })
})

it('a deploy that the clean-up took for killed fails, and the site is unchanged', async () => {
  const versions = versionStore(site.db)
  const begin: DeployerDependencies['versions']['begin'] = async (...args) => {
    const id = await versions.begin(...args)
    await site.cleanUp(1)
    return id
  }
  const slow = site.deployer({ versions: { ...versions, begin } })
  const tooLate = {
    code: 'upstream_error',
    message: 'The deploy took too long, and was given up: the site is unchanged. Repeat the request.',
  }
  await expect(site.deployZip(slow, account, 'slow', zip)).rejects.toMatchObject(tooLate)
  const late = site.deployer({
    sites: {
      ...site.sites,
      publish: async (...args) => {
        await site.cleanUp(1)
        return site.sites.publish(...args)
      },
    },
  })
  await expect(site.deployZip(late, account, 'slow', zip)).rejects.toMatchObject(tooLate)
  expect(await site.sql(`select id from site where name = 'slow'`)).toEqual([])
})

it('the job removes what is older than half an hour, and ends when the server stops', async () => {
  const { signal } = new AbortController()
  const job = cleanUpJob(cleanUpStore(site.db), site.intake)
  const contents = async () => (await site.sql('select id from site_content where unused_at is not null')).length
  await site.deploy(account, 'old', { a: 'old' })
  await site.sites.remove(account, 'old')
  await job.run(signal)
  expect(await contents()).toBeGreaterThan(0)
  await site.sql(`update site_content set unused_at = unused_at - ${2 * unusedMs}`)
  await job.run(AbortSignal.abort())
  expect(await contents()).toBeGreaterThan(0)
  await job.run(signal)
  expect(await contents()).toBe(0)
})

it('archives of one account at once have the limit of one site', () => {
  const { account: all } = byteLimits({ ...siteLimits, siteBytesMax: 10 })
  expect([all.max, all.reason(7)]).toEqual([
    10,
    'archive is too large beside the other running deploys of the account, which have 7 bytes of 10 bytes: wait for their end.',
  ])
})
