import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Writes `packages.json`: the folders of the packages whose modules are in the build, such as `node_modules/react`. A release lists its
 * contents by it (scripts/package/sbom.js).
 */
export function packageList(): Plugin {
  return {
    name: 'package-list',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const folders = modules.flatMap((id) => /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
      const names = [...new Set(folders)].map((folder) => relative(root, folder)).sort()
      this.emitFile({ type: 'asset', fileName: 'packages.json', source: JSON.stringify(names) })
    },
  }
}
