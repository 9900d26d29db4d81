import { client } from '../../../parts/api/client.js'
import { holdReload } from '../../../parts/reload-hold.js'
import { addListed, discardUpload } from '../queries.js'
import { isUnfinished, UploadQueue } from './queue.js'

/** The uploads of this tab. They go on when the user opens another page of the console. */
export const uploads = new UploadQueue({
  calls: {
    upload: client.files.upload,
    uploadChunk: client.files.uploadChunk,
    uploadFinalize: client.files.uploadFinalize,
    uploadDiscard: ({ upload_id: id }) => discardUpload(id),
    list: () => client.files.list(),
  },
  surroundings: { now: () => performance.now(), wait },
  onStored: addListed,
})

/** Ends early when the browser is online again, and when the signal aborts. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
    signal.addEventListener('abort', end)
  })
}

let release: (() => void) | undefined
uploads.subscribe(() => {
  if (uploads.uploads().some(isUnfinished)) release ??= holdReload('uploads')
  else {
    release?.()
    release = undefined
  }
})

// The browser asks before the tab is closed or reloaded, because uploads would end, also the paused ones.
addEventListener('beforeunload', (event) => {
  if (uploads.uploads().some(isUnfinished)) event.preventDefault()
})
