import { expect, it } from 'vitest'
import { databaseKinds } from '../../test/app.js'
import { emptyFolder, newDatabase, openDatabase } from '../../test/database-rows.js'
import { jobRunStore } from './job-run-store.js'

it.each(databaseKinds)('%s remembers the last run of each job', async (kind) => {
  await using folder = await emptyFolder()
  const db = await openDatabase(await newDatabase(kind, folder.path))
  const store = jobRunStore(db)
  await store.note('a', 1)
  await store.note('b', 2)
  await store.note('a', 2 ** 41)
  expect([...(await store.all())].toSorted()).toEqual([
    ['a', 2 ** 41],
    ['b', 2],
  ])
  await db.close()
})
