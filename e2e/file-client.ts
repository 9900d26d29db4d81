import { request } from 'node:http'

/** A client of the files area that survives broken connections. */

/** Undefined if the connection broke: then the outcome of the request is unknown. */
export type FileOutcome = { readonly status: number; readonly data: Record<string, unknown> } | undefined

/** A download, whose bytes are counted and not kept. Undefined if the connection broke. */
export type Received = { readonly status: number; readonly bytes: number } | undefined

export interface FileClient {
  /** Sends JSON to `/v1/<path>`, or reads it from there without a body. */
  readonly call: (path: string, body?: unknown) => Promise<FileOutcome>
  /** Sends a part as raw bytes. @param uploadId undefined for the first part of a new upload */
  readonly sendPart: (uploadId: number | undefined, index: number, bytes: Uint8Array) => Promise<FileOutcome>
  /** Uploads bytes in parts, one after another. @returns the id of the upload */
  readonly sendParts: (parts: readonly Uint8Array[]) => Promise<number>
  readonly download: (fileId: number, onChunk?: (chunk: Buffer) => void) => Promise<Received>
}

export function fileClient(url: string, token: string): FileClient {
  const authorization = `Bearer ${token}`

  async function exchange(path: string, init: RequestInit): Promise<FileOutcome> {
    const isWrite = init.body !== undefined
    try {
      const headers = { authorization, ...(init.headers as Record<string, string>) }
      const response = await fetch(`${url}/v1/${path}`, { ...init, method: isWrite ? 'POST' : 'GET', headers })
      const body = (await response.json()) as Record<string, unknown>
      return { status: response.status, data: (body['data'] ?? body) as Record<string, unknown> }
    } catch (error) {
      // fetch throws a TypeError when the connection breaks, and its body a SyntaxError if the answer is cut off.
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined
      throw error
    }
  }

  const sendPart: FileClient['sendPart'] = (uploadId, index, bytes) =>
    exchange(`files/upload-chunk?index=${index}${uploadId === undefined ? '' : `&upload_id=${uploadId}`}`, {
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes as Uint8Array<ArrayBuffer>,
    })

  return {
    sendPart,
    call: (path, body) =>
      exchange(
        path,
        body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      ),
    sendParts: async (parts) => {
      let id: number | undefined
      for (const [index, part] of parts.entries()) {
        const sent = await sendPart(id, index, part)
        if (sent?.status !== 200) throw new Error(`Part ${index} was not accepted: ${JSON.stringify(sent)}`)
        id = sent.data['upload_id'] as number
      }
      return id as number
    },
    download: (fileId, onChunk) =>
      new Promise((resolve) => {
        const sent = request(
          `${url}/v1/files/download?id=${fileId}`,
          { headers: { authorization }, agent: false },
          (answer) => {
            let bytes = 0
            answer.on('data', (chunk: Buffer) => {
              bytes += chunk.length
              onChunk?.(chunk)
            })
            answer.on('error', () => resolve(undefined))
            answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }))
          },
        )
        sent.on('error', () => resolve(undefined))
        sent.end()
      }),
  }
}
