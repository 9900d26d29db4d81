// The dependencies that are not part of the bundle: compiled addons, data, and what svc finds by the name of the package.
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readJson, root } from './release.js'

/** The files that svc uses of each package. The rest are sources, source maps and binaries of other platforms. */
const usedFiles = {
  '@ip-location-db/geo-whois-asn-country-mmdb': ['geo-whois-asn-country.mmdb'],
  '@node-rs/argon2': ['index.js'],
  '@node-rs/argon2-linux-x64-gnu': ['argon2.linux-x64-gnu.node'],
  '@scalar/fastify-api-reference': ['dist/index.js', 'dist/js/standalone.js'],
  'better-sqlite3': ['lib', 'prebuilds/linux-x64.node'],
  tldts: ['dist/cjs/index.js'],
}

export const moduleNames = Object.keys(usedFiles)

/** Copies the used files and the license of a package. @param folder `node_modules` of the copy */
export async function copyModule(name, folder) {
  const [from, to] = [join(root, 'node_modules', name), join(folder, name)]
  const licenses = (await readdir(from)).filter((file) => /licen[cs]e/i.test(file))
  await mkdir(to, { recursive: true })
  for (const file of [...usedFiles[name], ...licenses])
    await cp(join(from, file), join(to, file), { recursive: true, filter: (path) => !path.endsWith('.map') })
  await writeFile(join(to, 'package.json'), JSON.stringify(shortManifest(name), null, 2))
}

/** Without scripts and dependencies: npm would install those that the copy does not use. */
function shortManifest(name) {
  const { version, license, type, main, exports } = readJson(`node_modules/${name}/package.json`)
  return { name, version, license, type, main, exports }
}
