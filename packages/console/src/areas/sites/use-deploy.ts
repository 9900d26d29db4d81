import { useRef, useState } from 'react'
import { uploadClient } from '../../parts/api/client.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import type { FolderFile } from './dropped-files.js'
import { refreshSites, type Deployed } from './queries.js'
import { zipFolder } from './zip-folder.js'

/** What a deployment is doing. @param part of the work of this phase, 0 to 1 */
export interface Progress {
  readonly phase: 'zip' | 'send' | 'check'
  readonly part: number
}

export interface DeployInput {
  readonly name: string
  readonly content: File | readonly FolderFile[]
}

/** The server waits for its turn for a minute, and may deploy for ten. */
const deployMs = 11 * 60_000

/** Deploys a zip or a folder. It can be stopped until the server has all bytes. */
export function useDeploy(onDone: (site: Deployed) => void) {
  const [progress, setProgress] = useState<Progress>()
  const stopper = useRef<AbortController>(undefined)
  const mutation = useSingleMutation({
    mutationFn: (input: DeployInput) => {
      const controller = new AbortController()
      stopper.current = controller
      return deploy(input, controller.signal, setProgress)
    },
    onSuccess: async (site) => {
      await refreshSites()
      onDone(site)
    },
    onSettled: () => setProgress(undefined),
  })
  const isStopped = mutation.error instanceof DOMException && mutation.error.name === 'AbortError'
  return {
    start: mutation.mutate,
    stop: () => stopper.current?.abort(),
    reset: mutation.reset,
    progress,
    isPending: mutation.isPending,
    error: isStopped ? undefined : (mutation.error ?? undefined),
  }
}

async function deploy({ name, content }: DeployInput, signal: AbortSignal, onProgress: (now: Progress) => void) {
  const zip = content instanceof File ? content : await zipped(content, signal, onProgress)
  onProgress({ phase: 'send', part: 0 })
  const client = uploadClient(({ bytes, total }) =>
    onProgress(bytes < total ? { phase: 'send', part: bytes / total } : { phase: 'check', part: 1 }),
  )
  return client.sites.deploy({ name }, { bytes: zip, signal, timeoutMs: deployMs })
}

function zipped(files: readonly FolderFile[], signal: AbortSignal, onProgress: (now: Progress) => void) {
  const total = sizeOf(files)
  let shown = 0
  return zipFolder(files, {
    signal,
    onRead: (read) => {
      // A hundred steps are enough for a progress bar.
      if (read - shown < total / 100) return
      shown = read
      onProgress({ phase: 'zip', part: read / total })
    },
  })
}

/** In bytes. */
export const sizeOf = (files: readonly FolderFile[]): number => files.reduce((sum, { file }) => sum + file.size, 0)
