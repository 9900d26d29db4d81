import { createPrivateKey } from 'node:crypto'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { testAuthority, type Issued } from '../../../../test/test-authority.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { MasterKey } from '../../../shared/master-key.js'
import { openVault } from '../../vault/envelope-vault.js'
import { findUsable } from '../port.js'
import { AcmeCertificates } from './acme-certificates.js'
import { namesKeyOf } from './certificate-row-store.js'
import { certificateList, certificateStore, type CertificateStore } from './certificate-store.js'
import { servedCertificateStore, type ServedCertificateStore } from './served-certificate-store.js'

const authority = testAuthority()
afterAll(() => authority.remove())
const { signal } = new AbortController()
const [host, zone] = ['www.zone.test', ['*.zone.test', 'zone.test']]

describe.each(databaseKinds)('ordered certificates in memory, with %s', (kind) => {
  let place: TwoProcesses
  let store: CertificateStore
  let served: ServedCertificateStore
  let errors: string[]
  beforeEach(async () => {
    place = await twoProcesses(kind)
    const vault = await openVault({ kind: 'setting', key: MasterKey.random() }, place.db)
    store = certificateStore(place.db, vault)
    served = servedCertificateStore(place.db, vault)
    errors = []
    await store.want([namesKeyOf([host]), namesKeyOf(zone)], 1)
  })
  afterEach(() => place.stop())

  const open = () => {
    const log = { error: (_: unknown, text?: string) => void errors.push(text ?? '') }
    return AcmeCertificates.open({ database: place.db, store: served, log })
  }
  const save = async (names: readonly string[], { chain, key }: Pick<Issued, 'chain' | 'key'>) => {
    const row = (await certificateList(place.db)).find((one) => namesKeyOf(one.names) === namesKeyOf(names))!
    const now = Date.now()
    const times = { now, nextAt: now, renewAt: now + 1e9 }
    await store.replace({ ...row, leasedUntil: 0 }, { chain, key: createPrivateKey(key) }, times)
  }

  it('a row that cannot be used is found at its first use, and leaves its name to a wildcard', async () => {
    const good = authority.issue(zone)
    await save(zone, good)
    await save([host], { chain: authority.issue([host]).chain, key: good.key })
    const certificates = await open()
    expect(certificates.find(host)?.names).toEqual([host])
    expect(findUsable(certificates, host)?.pem()).toEqual({ chain: good.chain, key: good.key })
    expect(certificates.find(host)?.names).toEqual(zone)
    expect(errors).toEqual(['a certificate of the database cannot be used'])
  })

  it.each([
    ['that is no PEM', 'no PEM'],
    ['for other names', authority.issue(['other.test']).chain],
  ])('a row with a chain %s takes no other away, also without a use', async (_, chain) => {
    const good = authority.issue(zone)
    await save(zone, good)
    await save([host], authority.issue([host]))
    await runSql(place.config, `update certificate set chain = '${chain}' where names = '${namesKeyOf([host])}'`)
    const certificates = await open()
    await expect.poll(() => certificates.find(host)?.names).toEqual(zone)
    expect(findUsable(certificates, 'zone.test')).toBeDefined()
  })

  it('a renewal that cannot be used does not replace the certificate that works, and a good one does', async () => {
    const [first, second] = [authority.issue([host]), authority.issue([host], { days: 5 })]
    await save([host], first)
    const certificates = await open()
    await save([host], { chain: second.chain, key: first.key })
    await certificates.job.run(signal)
    expect(findUsable(certificates, host)?.pem().chain).toBe(first.chain)
    expect(errors).toEqual(['a certificate of the database cannot be used'])
    await save([host], second)
    await certificates.job.run(signal)
    expect(findUsable(certificates, host)?.pem()).toEqual({ chain: second.chain, key: second.key })
  })

  it('knows which ones are not renewed any more', async () => {
    await save([host], authority.issue([host]))
    const certificates = await open()
    expect(certificates.find(host)?.isEnding).toBe(false)
    await store.want([namesKeyOf(zone)], 2)
    await certificates.job.run(signal)
    expect(certificates.find(host)?.isEnding).toBe(true)
    await store.want([namesKeyOf([host])], 3)
    await certificates.job.run(signal)
    expect(certificates.find(host)?.isEnding).toBe(false)
  })
})
