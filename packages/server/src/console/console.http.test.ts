import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../../test/app.js'
import { startContentServer, type ContentServer } from '../../test/content-server.js'
import { expectError, send } from '../../test/raw-http.js'
import { pageTemplate } from './page.js'
import { consoleRoutes } from './routes.js'

/** The page of the console and its assets, from a small build. */

const html = `<!doctype html>
<html lang="en">
<head>
<base href="/console/" />
<meta name="csp-nonce" content="" />
<meta name="content-origin" content="" />
<script type="module" src="./assets/index-a1.js"></script>
</head>
`
const pages = [
  { path: 'dns', files: ['assets/zones.js'] },
  { path: 'files/cdn', files: ['assets/cdn.js'] },
  { path: 'files/:id', files: ['assets/file.js', 'assets/file.css'] },
  { path: '', files: ['assets/overview.js'] },
  { path: '*', files: ['assets/frame.js'] },
]
const script = 'console.log("hello")\n'.repeat(100)
const contentOrigin = 'https://content.example.net'
const terms = { contentOrigin, sessionCookie: 'svc_session' }

async function writeBuild(page: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-console-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), page)
  await writeFile(join(folder, 'pages.json'), JSON.stringify(pages))
  for (const name of ['index-a1.js', 'removed-b2.js']) await writeFile(join(folder, 'assets', name), script)
  await writeFile(join(folder, 'assets', 'index-c3.css'), 'a{}')
  return folder
}

let folder: string
let server: ContentServer
beforeAll(async () => {
  folder = await writeBuild(html)
  server = await startContentServer({ routes: await consoleRoutes(terms, folder) })
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(server.url, method, path, { headers })

const nonceIn = (text: string) => /name="csp-nonce" content="([^"]+)"/.exec(text)?.[1] ?? ''

describe('the page', () => {
  // Each base is resolved against the address of the page, also below a prefix that the proxy has removed.
  it.each([
    '/console',
    '/console/',
    '/console/dns',
    '/console/dns/',
    '/console/dns/example.com',
    '/console/dns/example.com/',
    '/console/dns/0%2F25.2.0.192.in-addr.arpa/records',
    '/console/apis',
    '/console/assets-of-mine/x',
    '/console/dns?zone=a/b/c',
    'http://example.com/console',
    'http://example.com/console/dns/example.com?zone=a/b/c',
  ])('has a base that leads to the console: %s', async (target) => {
    const answer = await read(target, { host: 'example.com' })
    expect(answer.status).toBe(200)
    const path = target.replace('http://example.com', '')
    const base = /<base href="([^"]+)"/.exec(answer.text)?.[1] ?? 'none'
    for (const prefix of ['', '/some/prefix'])
      expect(new URL(base, `https://example.com${prefix}${path}`).pathname).toBe(`${prefix}/console/`)
    expect(answer.text.replace(base, '/console/').replace(nonceIn(answer.text), '')).toBe(
      html
        .replace('"content-origin" content=""', `"content-origin" content="${contentOrigin}"`)
        .replace('lang="en"', 'lang="en" data-visitor'),
    )
  })

  it.each([
    ['/console', ['assets/overview.js']],
    ['/console/dns?claim', ['assets/zones.js']],
    ['/console/files/cdn/', ['assets/cdn.js']],
    ['/console/files/7', ['assets/file.js', 'assets/file.css']],
    ['/console/files/7/8', ['assets/frame.js']],
  ])('names the files of the page for a browser with a session: %s', async (path, files) => {
    const { text } = await read(path, { cookie: 'a=b; svc_session=secret' })
    const named = Array.from(
      text.matchAll(/<link rel="preload" as="fetch" crossorigin href="\.\/([^"]+)"/g),
      ([, name]) => name,
    )
    expect(named).toEqual([...files, 'api/session'])
    expect(text).not.toContain('secret')
    expect(text).not.toContain('data-visitor')
  })

  it.each([
    ['svc_colors=dark', ' data-mantine-color-scheme="dark" data-visitor'],
    ['svc_colors=light; svc_session=s', ' data-mantine-color-scheme="light"'],
    ['svc_colors="><script>', ' data-visitor'],
    ['', ' data-visitor'],
  ])('has the colors that the user has chosen: cookie %s', async (cookie, attributes) => {
    expect((await read('/console', { cookie })).text).toContain(`<html lang="en"${attributes}>`)
  })

  it('has another nonce in each answer, the same in its policy and its text', async () => {
    const answers = [await read('/console'), await read('/console')]
    for (const { text, headers } of answers) {
      expect(Buffer.from(nonceIn(text), 'base64')).toHaveLength(16)
      expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonceIn(text)}'`)
    }
    expect(new Set(answers.map(({ text }) => nonceIn(text))).size).toBe(2)
  })

  it('the page may not be stored, framed or read by another site, and loads only from this server and the content host', async () => {
    const { headers } = await read('/console', { origin: 'http://evil.example' })
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
    const policy = String(headers['content-security-policy']).split('; ')
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      `img-src 'self' data: blob: ${contentOrigin}`,
      "media-src 'self'",
      "frame-src 'self'",
      "base-uri 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule)
    expect(policy.join()).not.toMatch(/unsafe|\*/)
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  })

  it('the page has no body in the answer to HEAD', async () => {
    const [full, head] = [await read('/console/dns'), await read('/console/dns', {}, 'HEAD')]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(full.headers['content-length'])
  })

  it.each(['POST', 'PUT', 'DELETE'])('405 for the method %s', async (method) => {
    for (const path of ['/console', '/console/dns']) {
      const answer = await read(path, {}, method)
      expectError(answer, 'method_not_allowed')
      expect(answer.headers.allow).toContain('GET')
    }
  })

  it.each(['/console/api', '/console/api/unknown', '/console/assets', '/console/assets/', '/consoles', '/Console'])(
    '404 in JSON at a path that is no page: %s',
    async (path) => {
      expectError(await read(path, { accept: 'text/html' }), 'not_found')
    },
  )

  it.each(['/console/sites/%F0%9F', '/console/sites/%', '/console/%zz/x', '/console/%ff?zone=a'])(
    'is served to browsers at a path that is not percent-encoded UTF-8: %s',
    async (path) => {
      const answer = await read(path, { accept: 'text/html,*/*;q=0.8' })
      expect(answer.status).toBe(200)
      expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
      const base = /<base href="([^"]+)"/.exec(answer.text)?.[1] ?? 'none'
      expect(new URL(base, `https://example.com${path}`).pathname).toBe('/console/')
      const head = await read(path, { accept: 'text/html' }, 'HEAD')
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers['content-length']).toBe(answer.headers['content-length'])
      expectError(await read(path), 'bad_request')
      expectError(await read(path, { accept: 'text/html' }, 'POST'), 'bad_request')
    },
  )

  it('an unreadable path with a condition that is false does not end the server', async () => {
    const answer = await read('/console/%ff', { accept: 'text/html', 'if-match': '"x"' })
    expect([answer.status, answer.body['error']]).toEqual([400, 'bad_request'])
    expect((await read('/healthz')).status).toBe(200)
  })

  it.each(['/console/api/%ff', '/console/assets/%ff', '/console%ff', '/v1/%ff'])(
    '400 in JSON at a path that is no page and is not percent-encoded UTF-8: %s',
    async (path) => {
      expectError(await read(path, { accept: 'text/html' }), 'bad_request')
    },
  )

  it('the page is not served at the content host', async () => {
    for (const path of ['/', '/console', '/console/dns', '/console/assets/index-a1.js']) {
      const answer = await read(path, { host: 'content.localhost', accept: 'text/html' })
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    }
  })
})

describe('the address of the server', () => {
  it('leads browsers to the console, also below the path of a proxy; 404 for others', async () => {
    const answer = await read('/', { accept: 'text/html,*/*;q=0.8' })
    expect(answer.status).toBe(302)
    const location = String(answer.headers.location)
    expect(new URL(location, 'https://example.com/some/prefix/').pathname).toBe('/some/prefix/console')
    expectError(await read('/', { accept: '*/*' }), 'not_found')
  })
})

/** With the bytes of the body, which `send` reads as text. */
async function readBytes(path: string, headers: Record<string, string> = {}) {
  const [response] = (await once(get(server.url + path, { headers, agent: false }), 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { headers: response.headers, bytes: Buffer.concat(chunks) }
}

describe('an asset', () => {
  it.each(['gzip', 'gzip, deflate, br, zstd', 'br;q=1, gzip;q=0.5', '*'])(
    'is compressed and may be kept for good: %s',
    async (encodings) => {
      const { headers, bytes } = await readBytes('/console/assets/index-a1.js', { 'accept-encoding': encodings })
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      })
      expect(gunzipSync(bytes).toString()).toBe(script)
    },
  )

  it.each([undefined, '', 'identity', 'br', 'gzip;q=0', `gzip,${'x,'.repeat(2_000)}`])(
    'is not compressed for Accept-Encoding: %s',
    async (encodings) => {
      const answer = await read(
        '/console/assets/index-a1.js',
        encodings === undefined ? {} : { 'accept-encoding': encodings },
      )
      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(answer.headers.vary).toBe('Accept-Encoding')
      expect(answer.text).toBe(script)
    },
  )

  it('has no body in the answers to HEAD and to a client that has it', async () => {
    const full = await read('/console/assets/index-c3.css')
    expect(full.headers['content-type']).toBe('text/css; charset=utf-8')
    const head = await read('/console/assets/index-c3.css', {}, 'HEAD')
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '3', ''])
    const fresh = await read('/console/assets/index-c3.css', { 'if-none-match': String(full.headers.etag) })
    expect([fresh.status, fresh.text]).toEqual([304, ''])
  })

  it.each(['unknown.js', 'index-a1.js/x', '..%2Findex.html', '%2e%2e%2findex.html', 'INDEX-A1.js', 'constructor'])(
    '404 for an asset that is not in the build: %s',
    async (name) => {
      expectError(await read(`/console/assets/${name}`), 'not_found')
    },
  )

  it('404 for an asset that a new build has removed', async () => {
    await unlink(join(folder, 'assets', 'removed-b2.js'))
    for (const encodings of ['gzip', 'identity'])
      expectError(await read('/console/assets/removed-b2.js', { 'accept-encoding': encodings }), 'not_found')
  })
})

it('without a build, every page answers with the command that builds it', async () => {
  const empty = await startContentServer({ routes: await consoleRoutes(terms, join(folder, 'none')) })
  for (const path of ['/console', '/console/dns']) {
    const answer = await send(empty.url, 'GET', path)
    expectError(answer, 'not_found')
    expect(answer.body['message']).toBe('The console is not built. Run npm run build, then start svc again.')
  }
  expectError(await send(empty.url, 'GET', '/console/assets/index-a1.js'), 'not_found')
  await empty.stop()
})

it.each([
  ['no base', html.replace('<base href="/console/" />', ''), 'must have <base'],
  ['another base', html.replace('"/console/"', '"/"'), 'must have <base'],
  ['no place for the nonce', html.replace('csp-nonce', 'nonce'), 'must have <meta name="csp-nonce"'],
  ['no end of the head', html.replace('</head>', ''), 'must have </head>'],
  [
    'no place for the content origin',
    html.replace('content-origin', 'origin'),
    'must have <meta name="content-origin"',
  ],
  ['two places for the nonce', html + html, 'has a placeholder twice'],
])('the server does not start with a page that has %s', async (_name, page, problem) => {
  const broken = await writeBuild(page)
  await expect(consoleRoutes(terms, broken)).rejects.toThrow(problem)
  await rm(broken, { recursive: true })
})

it('the page of the console has the placeholders', async () => {
  const page = await readFile(new URL('../../../console/index.html', import.meta.url), 'utf8')
  expect(() => pageTemplate(page, 'http://content.localhost')).not.toThrow()
})

describe('beside the API', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  it('an unknown path of the API is 404 in JSON, and a wrong method 405 with its Allow', async () => {
    expectError(await send(app.url, 'GET', '/console/api/unknown', { headers: { accept: 'text/html' } }), 'not_found')
    const answer = await send(app.url, 'DELETE', '/console/api/session')
    expectError(answer, 'method_not_allowed')
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS')
  })
})
