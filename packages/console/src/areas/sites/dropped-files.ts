/** What was dropped or chosen: a zip, or files with their paths below the dropped folder. */
export type Dropped =
  | { readonly kind: 'zip'; readonly name: string; readonly zip: File }
  | ({ readonly kind: 'folder' } & FolderContents)

/** A file of a folder. @param path with slashes, without the dropped folder itself */
export interface FolderFile {
  readonly path: string
  readonly file: Blob
}

export interface FolderContents {
  /** Name of the dropped folder; empty if files were dropped without one. */
  readonly name: string
  readonly files: readonly FolderFile[]
  /** Paths of files that a site should not have. */
  readonly skipped: readonly string[]
}

/** A folder inside the dropped one that can be deployed in its place. */
export interface Root {
  /** Ends with a slash; empty for the dropped folder itself. */
  readonly path: string
  readonly files: readonly FolderFile[]
  readonly hasIndex: boolean
}

/** Folders of the operating system, of version control and of package managers. */
const skippedFolders: ReadonlySet<string> = new Set(['__MACOSX', 'node_modules'])
const skippedFiles: ReadonlySet<string> = new Set(['Thumbs.db', 'desktop.ini'])

/** Folders into which build tools write a site. */
const outputFolders = ['dist', 'build', 'out', 'public', '_site'] as const

/** Hidden files may have secrets (`.env`); `.well-known` is for the public (RFC 8615). */
const isSkipped = (path: string): boolean =>
  path
    .split('/')
    .some(
      (part) =>
        (part.startsWith('.') && part.toLowerCase() !== '.well-known') ||
        skippedFolders.has(part) ||
        skippedFiles.has(part),
    )

/** @param files with the paths that the browser gives: `/docs/index.html`, `docs/index.html` or `./index.html` */
export function droppedOf(files: readonly FolderFile[]): Dropped | undefined {
  const all = files.map(({ path, file }) => ({ path: path.replace(/^\.?\//, ''), file }))
  const [first] = all
  if (first === undefined) return undefined
  if (all.length === 1 && first.file instanceof File && /\.zip$/i.test(first.path))
    return { kind: 'zip', name: first.file.name.replace(/\.zip$/i, ''), zip: first.file }
  const name = commonFolder(all)
  const inside = name === '' ? all : all.map(({ path, file }) => ({ path: path.slice(name.length + 1), file }))
  return {
    kind: 'folder',
    name,
    files: inside.filter(({ path }) => !isSkipped(path)),
    skipped: inside.filter(({ path }) => isSkipped(path)).map(({ path }) => path),
  }
}

/** The first folder of all paths; empty if they differ. */
function commonFolder(files: readonly FolderFile[]): string {
  const folder = files[0]?.path.split('/').slice(0, -1)[0]
  return folder !== undefined && files.every(({ path }) => path.startsWith(`${folder}/`)) ? folder : ''
}

/**
 * The folders that can be deployed, the best one first. A project with sources has its site in the folder that its build tool
 * writes; a folder that has only one folder is a wrapper.
 */
export function rootsOf(files: readonly FolderFile[]): readonly Root[] {
  const paths = new Set(files.map(({ path }) => path))
  const rootAt = (path: string): Root => ({
    path,
    files: files
      .filter((file) => file.path.startsWith(path))
      .map((file) => ({ path: file.path.slice(path.length), file: file.file })),
    hasIndex: paths.has(`${path}index.html`),
  })
  const whole = rootAt('')
  const wrapper = commonFolder(files)
  const inner = [wrapper, ...outputFolders]
    .filter((folder) => folder !== '' && paths.has(`${folder}/index.html`))
    .map((folder) => rootAt(`${folder}/`))
  // The index.html beside a package.json is often the source of the page, as with Vite.
  return whole.hasIndex && !paths.has('package.json') ? [whole, ...inner] : [...inner, whole]
}

/** A name is a DNS label (RFC 1035, section 2.3.4). */
const nameMax = 63

/** A name for the site: that of the dropped folder or zip, with the characters that the contract allows. */
export function suggestedName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, nameMax)
    .replace(/^-|-$/g, '')
  return (outputFolders as readonly string[]).includes(plain) ? '' : plain
}
