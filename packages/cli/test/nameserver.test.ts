import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyPlace, svcProcess } from './svc.js'

it('svc nameserver starts where Node.js does not know its program, as in a chroot without /proc', async () => {
  await using place = await emptyPlace()
  const preload = join(place.cwd, 'preload.cjs')
  await writeFile(preload, "process.execPath = 'node'")
  const env = { NODE_OPTIONS: `--require ${preload}` }
  const { code, stdout, stderr } = await svcProcess(['nameserver', '--help'], { ...place, env })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('SVC_DNS_PRIMARY')
})
