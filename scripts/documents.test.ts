import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** Compares the documents with the repository: links, dependencies, code. */

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The anchors of the headings, in GitHub's form. */
const anchorsOf = (markdown: string): string[] =>
  Array.from(withoutCode(markdown).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

const withoutCode = (markdown: string) => markdown.replace(/^ *```[^]*?^ *```$/gm, '')

describe.each(documents)('the links of %s', (path) => {
  const links = Array.from(withoutCode(read(path)).matchAll(/\]\(([^)]+)\)/g), ([, link = '']) => link)
  it('lead to existing files and headings', () => {
    const broken = links.filter((link) => {
      if (link.startsWith('https://')) return false
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(read(target)).includes(anchor))
    })
    expect(broken).toEqual([])
  })
})

it('CHANGELOG.md has a section for the present version, with notes for the upgrade', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const sections = read('CHANGELOG.md').split(/^## /m).slice(1)
  const [own = '', ...others] = sections.filter((section) => /^svc\b.*/.exec(section)?.[0].includes(version))
  expect(others).toEqual([])
  expect(own).toContain(`### Upgrading to ${version}\n`)
})

it('the commands of docs/operating.md name the present version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const named = Array.from(read('docs/operating.md').matchAll(/\bsvc[:-](\d+\.\d+\.\d+)/g), ([, found]) => found)
  expect(new Set(named)).toEqual(new Set([version]))
})

it('docs/dependencies.md lists exactly the dependencies of all packages', () => {
  const manifests = [
    'package.json',
    'bench/package.json',
    'e2e/generators/package.json',
    'test/nodes/package.json',
    ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`),
  ]
  const names = manifests.flatMap((path) => {
    const manifest = JSON.parse(read(path)) as Record<string, Record<string, string>>
    const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    return names.filter((name) => !name.startsWith('@svc/'))
  })
  const rows = Array.from(read('docs/dependencies.md').matchAll(/^\| `([^`]+)`/gm), ([, name = '']) => name)
  expect([...new Set(rows)].sort()).toEqual([...new Set(names)].sort())
})

const excerpts = ['docs/add-an-endpoint.md', 'docs/add-an-area.md'].flatMap((document) =>
  Array.from(
    read(document).matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm),
    ([, path = '', code = '']) => [document, path, code] as const,
  ),
)

it.each(excerpts)('%s quotes %s unchanged: %#', (_, path, code) => {
  expect(unindented(read(path))).toContain(unindented(code))
})

it('docs/add-a-record-type.md names existing files, except those of its example', () => {
  const document = read('docs/add-a-record-type.md')
  const paths = Array.from(document.matchAll(/(?:`|^\/\/ )(packages\/[^\s`]+\.ts)/gm), ([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(10)
  expect(new Set(paths.filter((path) => !existsSync(join(root, path))).map((path) => path.split('/').at(-1)))).toEqual(
    new Set(['tlsa.ts', 'tlsa.test.ts']),
  )
})

const unindented = (code: string) => code.trim().replace(/^ +/gm, '')
