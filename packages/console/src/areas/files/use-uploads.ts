import { useSyncExternalStore } from 'react'
import { uploads } from './upload/uploads.js'

/** The uploads of this tab. */
export const useUploads = () => useSyncExternalStore(uploads.subscribe, uploads.uploads)
