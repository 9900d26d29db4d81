import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Removes the files of earlier builds after the new ones are written. Vite would empty the folder before, so that a server which runs
 * during a build of the same sources would miss files.
 */
export function removeOldFiles(): Plugin {
  return {
    name: 'remove-old-files',
    async writeBundle({ dir = '' }, bundle) {
      const built = new Set(Object.keys(bundle))
      for (const name of await readdir(join(dir, 'assets')))
        if (!built.has(`assets/${name}`)) await rm(join(dir, 'assets', name))
    },
  }
}
