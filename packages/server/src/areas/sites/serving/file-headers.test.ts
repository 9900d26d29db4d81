import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { acceptedEncodings } from '../../../shared/encodings.js'
import { defaultHeaders, isHashed } from './file-headers.js'

it.each([
  ['index.html', 'text/html; charset=utf-8'],
  ['a/b.css', 'text/css; charset=utf-8'],
  ['app.js', 'text/javascript; charset=utf-8'],
  ['app.mjs', 'text/javascript; charset=utf-8'],
  ['data.json', 'application/json; charset=utf-8'],
  ['a.svg', 'image/svg+xml'],
  ['a.PNG', 'image/png'],
  ['a.wasm', 'application/wasm'],
  ['a.woff2', 'font/woff2'],
  ['site.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['archive.tar.gz', 'application/gzip'],
  ['LICENSE', 'application/octet-stream'],
  ['html', 'application/octet-stream'],
  ['folder.html/file', 'application/octet-stream'],
  ['a.unknown-type', 'application/octet-stream'],
  ['a.', 'application/octet-stream'],
])('the Content-Type of %s is %s', (file, type) => {
  expect(defaultHeaders(file, { path: `/${file}`, status: 200 })['content-type']).toBe(type)
})

const immutable = 'public, max-age=31536000, immutable'
const revalidated = 'public, max-age=0, must-revalidate'

describe('a name that a bundler made has the hash of its content', () => {
  it.each([
    ...['app.3f2a1b9c.js', 'assets/index-BxK3k2_a.js', 'index-D4x-2kLm.css', 'main.8e0d62a1b5c3f4a7d9e0.css'],
    ...['chunk-CQ7YJ3ZK.js', 'main.3f2a1b9c.js.map', 'font-a1b2c3d4.woff2', 'logo.5e3c1f0a2b4d6789.svg'],
    ...['787.28cb0dcd.chunk.js', 'main-5e3c1f0a2b4d6789.js', 'a.0cc175b9c0f1b6a831c399e269772661.min.css'],
  ])('%s has the hash of its content', (file) => {
    expect(isHashed(file)).toBe(true)
    const cacheAt = (path: string, status: 200 | 404 = 200) => defaultHeaders(file, { path, status })['cache-control']
    expect(cacheAt(`/${file}`)).toBe(immutable)
    for (const revalidatedAt of [cacheAt(`/${file}`, 404), cacheAt('/app.js'), cacheAt(`/old/${file}`)])
      expect(revalidatedAt).toBe(revalidated)
  })

  it('many names of Vite have the hash of their content, whatever the hash', () => {
    const names = Array.from(
      { length: 1_000 },
      (_, n) => `index-${hash('sha256', String(n), 'base64url').slice(0, 8)}.js`,
    )
    expect(names.filter(isHashed).length).toBeGreaterThan(400)
  })
})

describe('a name that a person gave a file has no hash', () => {
  it.each([
    ...['index.html', 'app.js', 'style-homepage.css', 'photo-20261122.jpg', 'jquery-3.7.1.min.js'],
    ...['report-2026final.pdf', 'my-screenshot2.png', 'slides-Version2.pdf', 'logo-deadbeef.svg', 'scan-12345678.png'],
    ...['page.3f2a1b9c.html', '3f2a1b9c.js', 'bootstrap.bundle.min.js', 'a-MARCH2026.pdf', 'icon-192x192.png'],
    ...['icon-1024x1024.png', 'x.1b9c.js', 'minutes-20261122a.pdf', 'doc-FinalV2b.pdf', 'photo-FinalV2b.jpg'],
    ...['part-a1b2c3d4.jpg', 'build-3f2a1b9c.zip', 'data.3f2a1b9c.json', 'film-BxK3k2_a.mp4', 'theme-FinalV2b.css'],
    ...['app-2026Q1v2.js', 'app-2026112a.js', 'app-20261122a.js', 'app-MyPage2x.js', 'photo-DSC4F2K9.jpg'],
    '550e8400-e29b-41d4-a716-446655440000.jpg',
  ])('%s has no hash of its content', (file) => {
    expect(isHashed(file)).toBe(false)
    expect(defaultHeaders(file, { path: `/${file}`, status: 200 })['cache-control']).toBe(revalidated)
  })
})

describe('Accept-Encoding', () => {
  it.each<[string | undefined, string[]]>([
    [undefined, ['identity']],
    ['', ['identity']],
    ['gzip, deflate, br, zstd', ['br', 'gzip', 'identity']],
    ['gzip', ['gzip', 'identity']],
    ['br;q=0.1, gzip', ['gzip', 'br', 'identity']],
    ['br;q=0, gzip;q=0', ['identity']],
    ['BR', ['br', 'identity']],
    ['*', ['br', 'gzip', 'identity']],
    ['*;q=0, gzip', ['gzip', 'identity']],
    ['identity', ['identity']],
    ['identity;q=1, gzip;q=0.5', ['identity', 'gzip']],
    ['gzip, identity;q=0', ['gzip', 'identity']],
    ['identity;q=0', ['identity']],
    [`gzip${','.repeat(196)}`, ['gzip', 'identity']],
    [`gzip${','.repeat(197)}`, ['identity']],
  ])('Accept-Encoding %j is read as %j', (header, encodings) => {
    for (const _ of [1, 2]) expect(acceptedEncodings(header).encodings).toEqual(encodings)
  })

  it('Accept-Encoding of 64 KiB is not read', () => {
    const startedAt = process.cpuUsage()
    for (let n = 0; n < 100; n++) acceptedEncodings(`${'*,'.repeat(32_000)}${n}`)
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(1_000)
  })

  it('Accept-Encoding is read in the same way after thousands of other values', () => {
    for (let n = 0; n < 2_000; n++) acceptedEncodings(`x-${n}`)
    expect(acceptedEncodings('gzip, br').encodings).toEqual(['br', 'gzip', 'identity'])
  })
})
