import { expect, it } from 'vitest'
import { inspect } from './harness.js'
import { ada, changesOf, chooseOf, dialogOf, differences, takeBackFirst, historyForTests } from './history-zone.js'

/** Changes of a zone are taken back: preview, conflict, changes of others meanwhile, undo. */

const history = historyForTests()

it('takes back one change after a preview, and the undo takes back exactly that revert', async () => {
  const zone = await history.claim()
  const { id } = await zone.create('www', '192.0.2.1')
  await zone.update(id, { value: '192.0.2.7' })
  const page = await zone.openHistory()
  await takeBackFirst(page)
  await dialogOf(page).getByText('This would change:', { exact: false }).waitFor()
  expect(await differences(page, '[role="dialog"]')).toEqual(['www A 5 min: Removed: 192.0.2.7, Added: 192.0.2.1'])
  expect(await zone.addressesOf('www')).toEqual(['192.0.2.7'])
  await inspect(page, 'dns-history-take-back')
  await dialogOf(page).getByRole('button', { name: 'Take it back' }).click()
  await page.getByText('The change is taken back.').waitFor()
  await dialogOf(page).waitFor({ state: 'hidden' })
  expect(await zone.addressesOf('www')).toEqual(['192.0.2.1'])
  await expect.poll(() => changesOf(page).count()).toBe(4)
  // A change that came meanwhile stays.
  await zone.create('other', '192.0.2.9')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  expect(await zone.addressesOf('www')).toEqual(['192.0.2.7'])
  expect(await zone.addressesOf('other')).toEqual(['192.0.2.9'])
  await expect.poll(() => changesOf(page).count()).toBe(6)
  await page.context().close()
})

it('asks again only if a change meanwhile changes what would be taken back', async () => {
  const zone = await history.claim()
  const { id } = await zone.create('www', '192.0.2.1')
  await zone.update(id, { value: '192.0.2.7' })
  const page = await zone.openHistory()
  await takeBackFirst(page)
  await dialogOf(page).getByRole('button', { name: 'Take it back' }).waitFor()
  await zone.create('other', '192.0.2.9')
  await dialogOf(page).getByRole('button', { name: 'Take it back' }).click()
  await page.getByText('The change is taken back.').waitFor()
  expect([await zone.addressesOf('www'), await zone.addressesOf('other')]).toEqual([['192.0.2.1'], ['192.0.2.9']])
  await page.context().close()
})

it("shows the server's reason when the change that is in the way was made after the preview", async () => {
  const zone = await history.claim()
  const { id } = await zone.create('www', '192.0.2.1')
  const page = await zone.openHistory()
  await takeBackFirst(page)
  await dialogOf(page).getByRole('button', { name: 'Take it back' }).waitFor()
  await zone.update(id, { value: '192.0.2.7' })
  await dialogOf(page).getByRole('button', { name: 'Take it back' }).click()
  await dialogOf(page).getByText('www has no A record 192.0.2.1 any more.', { exact: false }).waitFor()
  expect(await zone.addressesOf('www')).toEqual(['192.0.2.7'])
  await page.context().close()
})

it("shows the server's reason if a later change is in the way, and offers nothing to confirm", async () => {
  const zone = await history.claim()
  const { id } = await zone.create('www', '192.0.2.1')
  const serial = await zone.latest()
  await zone.update(id, { value: '192.0.2.7' })
  const page = await zone.openHistory(`?take-back=${String(serial)}`)
  await dialogOf(page)
    .getByText(
      'serial names a change that cannot be taken back alone, because of a later one: www has no A record 192.0.2.1 any more.',
    )
    .waitFor()
  expect(await dialogOf(page).getByRole('button').allInnerTexts()).toEqual(['', 'Copy', 'Close'])
  await inspect(page, 'dns-history-conflict')
  await dialogOf(page).getByRole('button', { name: 'Close', exact: true }).last().click()
  await dialogOf(page).waitFor({ state: 'hidden' })
  expect(new URL(page.url()).search).toBe('')
  await page.context().close()
})

it('returns the whole zone, but not before the user has seen a change that was made meanwhile', async () => {
  const zone = await history.claim()
  await zone.create('www', '192.0.2.1')
  await zone.create('mail', 'mail.example.net', { type: 'MX', priority: 5 })
  const serial = await zone.latest()
  await zone.importLines(['oops 300 A 192.0.2.66'], true)
  const page = await zone.openHistory()
  await chooseOf(page, 1, 'Return the zone to this')
  await dialogOf(page).getByText('All records of the zone become what they were.', { exact: false }).waitFor()
  expect(new URL(page.url()).search).toBe(`?return-to=${String(serial)}`)
  const before = await differences(page, '[role="dialog"]')
  expect(before.toSorted()).toEqual([
    'mail MX 5 min: Added: 5 mail.example.net',
    'oops A 5 min: Removed: 192.0.2.66',
    'www A 5 min: Added: 192.0.2.1',
  ])
  await zone.create('new', '192.0.2.50')
  await dialogOf(page).getByRole('button', { name: 'Return the zone' }).click()
  await dialogOf(page).getByRole('alert').getByText('The zone has changed').waitFor()
  const after = await differences(page, '[role="dialog"]')
  expect(after).toHaveLength(4)
  expect(after).toContain('new A 5 min: Removed: 192.0.2.50')
  expect(await zone.addressesOf('new')).toEqual(['192.0.2.50'])
  await inspect(page, 'dns-history-changed')
  await dialogOf(page).getByRole('button', { name: 'Return the zone' }).click()
  await page.getByText(`${zone.name} is as it was.`).waitFor()
  expect([await zone.addressesOf('www'), await zone.addressesOf('oops'), await zone.addressesOf('new')]).toEqual([
    ['192.0.2.1'],
    [],
    [],
  ])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  expect([await zone.addressesOf('www'), await zone.addressesOf('oops'), await zone.addressesOf('new')]).toEqual([
    [],
    ['192.0.2.66'],
    ['192.0.2.50'],
  ])
  await page.context().close()
})

it('says so if the zone is already what it was', async () => {
  const zone = await history.claim()
  await zone.create('www', '192.0.2.1')
  const page = await zone.openHistory(`?return-to=${String(await zone.latest())}`)
  await dialogOf(page).getByText('The records are so already: there is nothing to change.').waitFor()
  expect(await dialogOf(page).getByRole('button', { name: 'Return the zone' }).count()).toBe(0)
  await page.context().close()
})

it('takes back a whole change also if a filter shows only a part of it', async () => {
  const zone = await history.claim()
  await zone.importLines(['www 300 A 192.0.2.1', 'a 300 A 192.0.2.2'])
  const page = await zone.openHistory('?host=a')
  await expect.poll(() => differences(page)).toEqual(['a A 5 min: Added: 192.0.2.2'])
  await takeBackFirst(page)
  await expect.poll(() => differences(page, '[role="dialog"]')).toHaveLength(2)
  await page.context().close()
})

it('shows a released zone as an error, without anything to take back', async () => {
  const zone = await history.claim()
  await zone.create('www', '192.0.2.1')
  const page = await zone.openHistory()
  await changesOf(page).first().waitFor()
  await zone.release()
  await takeBackFirst(page)
  await dialogOf(page).getByRole('alert').waitFor()
  expect(await dialogOf(page).getByRole('button', { name: 'Take it back' }).count()).toBe(0)
  await page.reload()
  await page.getByRole('alert').first().waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'hidden' })
  expect(await page.getByRole('button', { name: /Take|Return/ }).count()).toBe(0)
  await inspect(page, 'dns-history-released')
  await page.context().close()
})

it('undoes an import with its notice, and nothing that was changed meanwhile', async () => {
  const zone = await history.claim()
  await zone.create('www', '192.0.2.1')
  const page = await history.site.open(ada, `dns/${zone.name}?import`)
  await page.getByRole('textbox', { name: 'Zone file' }).fill('oops 300 A 192.0.2.66')
  await page.getByRole('checkbox', { name: 'Delete the records that the' }).check()
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByRole('button', { name: 'Apply all changes' }).click()
  await page.getByText('1 record added, 0 changed, 1 deleted.').waitFor()
  expect([await zone.addressesOf('www'), await zone.addressesOf('oops')]).toEqual([[], ['192.0.2.66']])
  await zone.create('other', '192.0.2.9')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  expect([await zone.addressesOf('www'), await zone.addressesOf('oops'), await zone.addressesOf('other')]).toEqual([
    ['192.0.2.1'],
    [],
    ['192.0.2.9'],
  ])
  await page.getByRole('button', { name: `Edit A www.${zone.name}` }).waitFor()
  await page.context().close()
})
