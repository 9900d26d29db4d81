import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { uploadSite, type UploadSite } from '../../../../test/upload-steps.js'
import { fileBlobOwners } from './owner-store.js'

describe.each(databaseKinds)('the owners of objects on %s', (kind) => {
  let site: UploadSite
  beforeAll(async () => {
    site = await uploadSite(kind)
  })
  afterAll(() => site.stop())

  it('the owners of objects are files and open uploads, with the email of their account', async () => {
    const { key: fileKey, uploadId: finished } = await site.add(null, 0, 'one')
    const file = await site.finalize({ uploadId: finished, parts: 1 })
    const { email } = site.account()
    site.newAccount()
    const { key: partKey, uploadId } = await site.add(null, 0, 'two')
    const { key: unused } = await site.put('three')
    expect(await fileBlobOwners(site.db, [fileKey, partKey, unused])).toEqual(
      new Map([
        [fileKey, { email, kind: 'file', name: String(file.id) }],
        [partKey, { email: site.account().email, kind: 'upload', name: String(uploadId) }],
      ]),
    )
    expect(await fileBlobOwners(site.db, [])).toEqual(new Map())
  })
})
