// The packages for npm: svc itself, the typed client and the contract. npm installs the dependencies of each platform.
import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { moduleNames } from './modules.js'
import { description, engines, license, readJson, root, scope, version } from './release.js'
import { normalize, stageApp } from './stage.js'

const common = { version, license, type: 'module' }

/** The dependencies outside the bundle. A binary for one platform is an optional dependency of one of them. */
function dependenciesOfSvc() {
  const { dependencies } = readJson('packages/server/package.json')
  return Object.fromEntries(
    moduleNames.filter((name) => name in dependencies).map((name) => [name, dependencies[name]]),
  )
}

async function stageSvc(folder) {
  const name = `${scope}/svc`
  await stageApp(folder, {
    ...{ name, description, ...common, engines },
    bin: { svc: 'packages/cli/bin/svc.js' },
    config: { command: `npx ${name}` },
    dependencies: dependenciesOfSvc(),
  })
  await cp(join(root, 'README.md'), join(folder, 'README.md'))
}

/** Stages a package of the repository that has no I/O: its compiled modules and their types. */
async function stageLibrary(folder, name, description) {
  const { sideEffects, exports, dependencies } = readJson(`packages/${name}/package.json`)
  await mkdir(folder, { recursive: true })
  await copyModules(join(root, 'packages', name, 'dist'), join(folder, 'dist'))
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const manifest = { name: `${scope}/${name}`, description, ...common, sideEffects, exports, dependencies }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(withOwnNames(manifest), null, 2)}\n`)
}

/** Without source maps, and without the comments that name them: bundlers would warn of each missing file. */
async function copyModules(from, to) {
  for (const name of await readdir(from, { recursive: true })) {
    if (!/\.(?:js|d\.ts)$/.test(name)) continue
    const module = await readFile(join(from, name), 'utf8')
    await mkdir(dirname(join(to, name)), { recursive: true })
    await writeFile(join(to, name), module.replace(/^\/\/# sourceMappingURL=.*$/m, ''))
  }
}

/** The modules import `@svc/contract`, so npm installs it under this name, also if `scope` is another one. */
const withOwnNames = ({ dependencies, ...manifest }) => ({
  ...manifest,
  dependencies: Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) =>
      name === '@svc/contract' ? [name, `npm:${scope}/contract@${version}`] : [name, range],
    ),
  ),
})

/** Writes `<scope>-<name>-<version>.tgz` of each package into the folder. @param work an empty folder for the copies */
export async function packNpm(work, folder) {
  await stageSvc(join(work, 'svc'))
  await stageLibrary(join(work, 'client'), 'client', 'The typed client of the svc Platform API')
  await stageLibrary(join(work, 'contract'), 'contract', 'The operations, schemas and errors of the svc Platform API')
  await normalize(work)
  for (const name of ['svc', 'client', 'contract'])
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
      cwd: join(work, name),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
}
