import { createHash, randomBytes } from 'node:crypto'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type Config } from '../../server/src/config/config.js'
import { startApp } from '../../server/test/app.js'
import { startGateway, type Gateway } from '../../server/test/gateway.js'
import { emptyPlace, start, svc as run, type Place, type Result } from './svc.js'

export const mebibyte = 2 ** 20

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A server with an account that may write files. */
export async function startFileServer(limits: Partial<Config['files']> = {}) {
  const { files } = readConfig({ env: {} })
  const server = await startApp('sqlite', { files: { ...files, ...limits } })
  const token = await server.token(await server.account('ada@example.com'), 'files:write')
  /** The bytes of a file. */
  const stored = async (id: number): Promise<Buffer> => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${server.url}/v1/files/download?id=${id}`, { headers })
    return Buffer.from(await response.arrayBuffer())
  }
  const answers = (status: number) => () =>
    server.log.filter((line) => line.includes(`"files.uploadChunk","status":${status}`)).length
  return {
    url: server.url,
    token,
    stored,
    stop: () => server.stop(),
    /** How many parts of uploads it has stored. */
    storedParts: answers(200),
    refusedParts: answers(400),
  }
}

export type FileServer = Awaited<ReturnType<typeof startFileServer>>

/** A working directory for `svc api files`, and a gateway that counts and disturbs its requests. */
export class Client implements AsyncDisposable {
  private constructor(
    private readonly place: Place & AsyncDisposable,
    private readonly token: string,
    readonly gateway: Gateway,
  ) {}

  static async to({ url, token }: FileServer): Promise<Client> {
    return new Client(await emptyPlace(), token, await startGateway(url))
  }

  get cwd(): string {
    return this.place.cwd
  }

  /** The environment of a command. Records of uploads are in a folder of the test. */
  env(url = this.gateway.url): Record<string, string> {
    return { SVC_URL: url, SVC_TOKEN: this.token, XDG_STATE_HOME: join(this.cwd, 'state') }
  }

  /** Runs a command to its end. */
  run(args: readonly string[], { url, stdin }: { url?: string; stdin?: Uint8Array } = {}): Promise<Result> {
    return run(['api', 'files', ...args], { cwd: this.cwd, env: this.env(url) }, stdin)
  }

  /** Starts a command that the test disturbs. */
  begin(args: readonly string[], url?: string): ChildProcessWithoutNullStreams {
    const child = start(['api', 'files', ...args], { cwd: this.cwd, env: this.env(url) })
    // A command that is killed does not read the rest.
    child.stdin.on('error', () => undefined)
    return child
  }

  async newFile(name: string, size: number): Promise<Buffer> {
    const bytes = randomBytes(size)
    await writeFile(join(this.cwd, name), bytes)
    return bytes
  }

  /** The indexes of the parts that were sent since the last call, in their order. */
  sentParts(): number[] {
    const sent = this.gateway.requests
      .splice(0)
      .flatMap((line) => /upload-chunk\?.*\bindex=(\d+)/.exec(line)?.[1] ?? [])
    return sent.map(Number)
  }

  /** The records of unfinished uploads. */
  async records(): Promise<string[]> {
    const folder = join(this.cwd, 'state', 'svc', 'uploads')
    const names = await readdir(folder).catch(() => [])
    return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.close()
    await this.place[Symbol.asyncDispose]()
  }
}
