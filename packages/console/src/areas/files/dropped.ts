import { notifyDone } from '../../parts/notify.js'
import { counted } from '../../parts/format.js'
import { uploads } from './upload/uploads.js'

/** A file with its path in the dropped folder, as react-dropzone gives it. */
interface Dropped extends File {
  readonly path?: string
}

const isInFolder = ({ path = '' }: Dropped): boolean => path.replace(/^\.?\//, '').includes('/')

/** Uploads files that were dropped, pasted or chosen. */
export function addDropped(files: readonly Dropped[]): void {
  const inFolders = files.filter(isInFolder).length
  if (inFolders > 0)
    notifyDone(`${counted(inFolders, 'file')} came from folders. There are no folders here: only the names are kept.`)
  uploads.add(files)
}
