import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { bin, emptyPlace, svcServe } from '../packages/cli/test/svc.js'
import { ensure } from '../test/servers/index.js'
import { freePort } from '../test/servers/process.js'
import { accountToken } from './account-token.js'

/** Runs the commands of docs/packages.md in their order, as written. */

const run = promisify(execFile)
const markdown = await readFile(new URL('../docs/packages.md', import.meta.url), 'utf8')
const blocksIn = (language: string) =>
  Array.from(markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm')), ([, text = '']) => text)

it('publishes, downloads and checks a version', async () => {
  for (const program of ['curl', 'tar', 'sha256sum']) ensure(program)
  await using place = await emptyPlace()
  const token = await accountToken(place, 'ada@example.com', 'packages:write')
  const port = String(await freePort())
  await using server = await svcServe(place, '--port', port)
  await mkdir(join(place.cwd, 'dist'))
  await writeFile(join(place.cwd, 'dist', 'greet'), 'echo hello\n')
  await symlink(bin, join(place.cwd, 'svc'))

  const [publish, withSvc, manage, download, pinned, ...others] = blocksIn('sh')
  expect(others).toEqual([])
  const script = `set -eu
${publish ?? ''} > published.json
${withSvc?.replace('--slug greeter', '--slug greeter-by-svc') ?? ''} > by-svc.json
mkdir downloads; cd downloads
${download ?? ''}
SHA256=$(sha256sum "../greeter.tar.gz" | cut -d ' ' -f 1)
${pinned ?? ''}
tar xzf "greeter.tar.gz"; sh greet
{ ${manage ?? ''}} > managed.json`
    .replaceAll('\n >', ' >')
    .replaceAll('npx svc', 'svc')
  const { stdout } = await run('bash', ['-c', script], {
    cwd: place.cwd,
    env: {
      PATH: `${place.cwd}:${process.env['PATH'] ?? ''}`,
      HOME: place.cwd,
      VERSION: '1.0.0',
      SVC_URL: server.url,
      SVC_TOKEN: token,
      CONTENT_URL: `http://content.localhost:${port}`,
    },
  })
  expect(stdout).toBe('greeter.tar.gz: OK\ngreeter.tar.gz: OK\nhello\n')
  const { data } = JSON.parse(await readFile(join(place.cwd, 'published.json'), 'utf8'))
  const [tarball] = data.published.artifacts
  expect(tarball.url).toBe(`http://content.localhost:${port}/p/greeter/1.0.0/greeter.tar.gz`)
  const bySvc = JSON.parse(await readFile(join(place.cwd, 'by-svc.json'), 'utf8'))
  expect(bySvc.published.artifacts[0].sha256).toBe(tarball.sha256)
  const managed = await readFile(join(place.cwd, 'downloads', 'managed.json'), 'utf8')
  for (const shown of [/"slug": ?"greeter-by-svc"/, /"description": ?"Greets the world"/, /"deleted": ?true/])
    expect(managed).toMatch(shown)
})

it('the document has the same commands for each CI', () => {
  const [publish = ''] = blocksIn('sh')
  const linesOf = (text: string) => text.split('\n').map((line) => line.trim())
  const pipelines = blocksIn('yaml')
  expect(pipelines).toHaveLength(2)
  for (const pipeline of pipelines) expect(linesOf(pipeline).join('\n')).toContain(linesOf(publish).join('\n').trim())
})
