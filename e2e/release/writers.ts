import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'

/** Clients that write, read and load the console while a server is upgraded. */

export interface Writers {
  /** The longest time without an answer since the last call, in milliseconds. */
  readonly longestGap: () => number
  /** Files of the console that the server of their own version did not have. */
  readonly missing: readonly string[]
  /** Ends the clients. @returns how many writes were acknowledged @throws unless the server still has each of them */
  readonly finish: () => Promise<number>
}

const writerCount = 4
const pauseMs = 200
const probeMs = 20

/** A page with what a browser loads later, by the file that its HTML names. */
export type ConsoleFiles = ReadonlyMap<string, readonly string[]>

interface Target {
  readonly url: string
  readonly token: string
  /** Is claimed for the written records. */
  readonly zone: string
  readonly consoleFiles: ConsoleFiles
}

/** Undefined for a connection that breaks or is refused. */
const get = async (url: string, init: RequestInit = {}): Promise<Response | undefined> => {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) })
    await response.clone().arrayBuffer()
    return response
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

export async function startWriters({ url, token, zone, consoleFiles }: Target): Promise<Writers> {
  const ended = new AbortController()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const dns = (path: string, body?: object) =>
    get(`${url}/v1/dns/zones${path}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  expect((await dns('', { zone }))?.status).toBe(200)

  const acknowledged = new Set<string>()
  async function write(writer: number): Promise<void> {
    for (let number = 0; !ended.signal.aborted; number++) {
      const host = `w${writer}-${number}`
      const answer = await dns(`/${zone}/records`, { type: 'TXT', host, value: host })
      if (answer?.status === 200) acknowledged.add(host)
      await sleep(pauseMs)
    }
  }

  let [lastAnswer, longest] = [performance.now(), 0]
  async function probe(): Promise<void> {
    while (!ended.signal.aborted) {
      const answer = await get(`${url}/v1/public/ip`)
      const now = performance.now()
      longest = Math.max(longest, now - lastAnswer)
      if (answer?.ok) lastAnswer = now
      await sleep(probeMs)
    }
  }

  const missing: string[] = []
  /** The file that tells the version of the server; undefined while it is not reachable. */
  const versionFile = async () => {
    const page = await (await get(`${url}/console/whois`))?.text()
    return [...consoleFiles.keys()].find((name) => page?.includes(name))
  }
  async function visit(): Promise<void> {
    for (let turn = 0; !ended.signal.aborted; turn++) {
      const version = await versionFile()
      const files = consoleFiles.get(version ?? '') ?? []
      const file = files[turn % Math.max(files.length, 1)]
      const answer = file === undefined ? undefined : await get(`${url}/console/${file}`)
      if (answer !== undefined && !answer.ok && version === (await versionFile()))
        missing.push(`${file}: ${answer.status}`)
      await sleep(probeMs)
    }
  }

  const running = [probe(), visit(), ...Array.from({ length: writerCount }, (_, writer) => write(writer))]
  return {
    missing,
    longestGap: () => {
      const gap = longest
      longest = 0
      return Math.round(gap)
    },
    finish: async () => {
      ended.abort()
      await Promise.all(running)
      const { data } = (await (await dns(`/${zone}/records`))?.json()) as { data: { records: { host: string }[] } }
      const hosts = new Set(data.records.map(({ host }) => host))
      expect([...acknowledged].filter((host) => !hosts.has(host))).toEqual([])
      return acknowledged.size
    },
  }
}
