import { execFileSync } from 'node:child_process'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FarSite } from '../../test/far-site.js'

const site = new FarSite()

/** Writes until the disk is full. @returns the file to remove */
async function fill(folder: string): Promise<string> {
  const file = join(folder, 'other')
  await writeFile(file, Buffer.alloc(1024 * 1024)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  })
  return file
}

// Only root may mount a file system.
describe.runIf(process.getuid?.() === 0)('a far nameserver on a full disk', () => {
  it('serves and follows zones that it cannot save, and saves them once there is space', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'svc-far-disk', site.data])
    try {
      site.setCatalog(1, { a: 'example.test', b: 'other.test' })
      site.setZone('example.test', 5, '192.0.2.1')
      site.setZone('other.test', 6, '192.0.2.2')
      const file = await fill(site.data)
      await site.start()
      await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
      await expect.poll(() => site.resolved('www.other.test')).toBe('192.0.2.2')
      site.setZone('example.test', 7, '192.0.2.9')
      await site.notify('example.test')
      await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.9')
      const saved = async () =>
        (await readdir(join(site.data, 'zones'))).filter((name) => name.endsWith('.zone')).sort()
      expect(await saved()).toEqual([])
      await rm(file)
      await expect
        .poll(saved, { timeout: 20_000 })
        .toEqual(['catalog.invalid.zone', 'example.test.zone', 'other.test.zone'])
      await site.far?.close()
      // No server listens at this port.
      await site.start({ primary: 9 })
      expect(await site.resolved('www.example.test')).toBe('192.0.2.9')
    } finally {
      await site.far?.close()
      site.far = undefined
      execFileSync('umount', [site.data])
    }
  })
})
