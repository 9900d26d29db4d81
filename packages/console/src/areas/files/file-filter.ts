import { fileKindOf, fileKinds, type FileKind } from '@svc/contract'
import { useMemo } from 'react'
import { useFilter } from '../../parts/url-state.js'

/** Which files the list shows, as the input of `files.list`. */
export interface FileConditions {
  readonly search?: string
  readonly kind?: FileKind
  readonly shared?: boolean
}

interface Found {
  readonly name: string
  readonly media_type: string
  readonly shared: boolean
}

/** Whether the server would find the file, for one that was uploaded after the list was read. */
export const fits = (file: Found, { search = '', kind, shared }: FileConditions): boolean =>
  file.name.toLowerCase().includes(search.toLowerCase()) &&
  (kind === undefined || fileKindOf(file.media_type) === kind) &&
  (shared === undefined || file.shared === shared)

/** The choice of shared or private files, in the address. */
const shares = { yes: true, no: false } as const

const isShare = (text: string): text is keyof typeof shares => text in shares

/** The filter of the list, in the address. */
export function useFileFilter() {
  const [name, setName] = useFilter('name')
  const [kind, setKind] = useFilter('kind')
  const [share, setShare] = useFilter('shared')
  const search = name.trim()
  const knownKind = fileKinds.find((known) => known === kind)
  const sharing = isShare(share) ? share : ''
  const conditions: FileConditions = useMemo(
    () => ({
      ...(search !== '' && { search }),
      ...(knownKind !== undefined && { kind: knownKind }),
      ...(sharing !== '' && { shared: shares[sharing] }),
    }),
    [search, knownKind, sharing],
  )
  const clear = () => {
    for (const set of [setName, setKind, setShare]) set('')
  }
  return { name, setName, kind: knownKind ?? '', setKind, sharing, setSharing: setShare, clear, conditions }
}

export const isFiltered = (conditions: FileConditions): boolean => Object.keys(conditions).length > 0

export type FileFilter = ReturnType<typeof useFileFilter>
