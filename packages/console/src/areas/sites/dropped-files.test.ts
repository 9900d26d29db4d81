import { expect, it } from 'vitest'
import { droppedOf, rootsOf, suggestedName } from './dropped-files.js'

const filesAt = (...paths: string[]) => paths.map((path) => ({ path, file: new File([path], path) }))

const folder = (...paths: string[]) => {
  const dropped = droppedOf(filesAt(...paths))
  if (dropped?.kind !== 'folder') throw new Error('not a folder')
  return { ...dropped, files: dropped.files.map(({ path }) => path) }
}

it('takes one zip as it is, and a zip among other files as a file', () => {
  expect(droppedOf(filesAt('site.ZIP'))).toMatchObject({ kind: 'zip', name: 'site' })
  expect(folder('site.zip', 'index.html').files).toEqual(['site.zip', 'index.html'])
  expect(droppedOf([])).toBeUndefined()
})

it.each([
  ['the paths of a drop', ['/docs/index.html', '/docs/css/a.css'], 'docs', ['index.html', 'css/a.css']],
  ['the paths of an input', ['docs/index.html', 'docs/css/a.css'], 'docs', ['index.html', 'css/a.css']],
  ['several files without a folder', ['./index.html', './a.css'], '', ['index.html', 'a.css']],
  ['two folders', ['/a/index.html', '/b/index.html'], '', ['a/index.html', 'b/index.html']],
])('%s: the paths begin inside the dropped folder', (_, paths, name, files) => {
  expect(folder(...paths)).toMatchObject({ name, files, skipped: [] })
})

it('leaves out hidden and system files, except .well-known', () => {
  const paths = ['.git/config', '.env', 'a/.DS_Store', '__MACOSX/x', 'node_modules/x/index.js', 'Thumbs.db']
  const { files, skipped } = folder(
    ...['index.html', '.well-known/security.txt', ...paths].map((path) => `docs/${path}`),
  )
  expect(files).toEqual(['index.html', '.well-known/security.txt'])
  expect(skipped).toEqual(paths)
})

it.each([
  ['a plain site', ['index.html', 'a.css'], ['']],
  ['a site with a folder of that name', ['index.html', 'public/index.html'], ['', 'public/']],
  ['a project with its site', ['package.json', 'index.html', 'src/main.ts', 'dist/index.html'], ['dist/', '']],
  ['a project without index.html', ['readme.md', 'build/index.html'], ['build/', '']],
  ['a wrapper', ['website/index.html', 'website/a.css'], ['website/', '']],
  ['no page', ['a.txt'], ['']],
])('%s: offers the folders that can be deployed, the best one first', (_, paths, roots) => {
  expect(rootsOf(filesAt(...paths)).map(({ path }) => path)).toEqual(roots)
})

it('shortens the paths to those below the chosen folder', () => {
  const [first] = rootsOf(filesAt('readme.md', 'dist/index.html', 'dist/css/a.css'))
  expect(first).toMatchObject({ hasIndex: true, files: [{ path: 'index.html' }, { path: 'css/a.css' }] })
})

it.each([
  ['My Site (1)', 'my-site-1'],
  ['Überblick', 'u-berblick'],
  ['dist', ''],
  ['--', ''],
  ['a'.repeat(80), 'a'.repeat(63)],
])('suggests a name for %s', (given, name) => {
  expect(suggestedName(given)).toBe(name)
})
