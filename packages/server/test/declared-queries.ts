import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { declaredQueries, type Prepared } from '../src/db/prepared.js'

const src = fileURLToPath(new URL('../src', import.meta.url))
const declares = /\bprepared(?:For)?\(/

export interface DeclaredQuery {
  /** File and name, such as `areas/account/tokens/store.ts page`. */
  readonly name: string
  readonly query: Prepared<never, unknown>
}

/** A line of the stack that leads to a declaration. */
interface Frame {
  readonly path: string
  readonly line: number
}

/**
 * Loads all modules of the server that declare queries.
 * @throws Error if a declaration is not among the queries, such as one within a function that has no call
 */
export async function allQueries(): Promise<DeclaredQuery[]> {
  const lines = await declaringFiles()
  for (const path of lines.keys()) await import(join(src, path))
  const declared = declaredQueries
    .map((query) => ({ query, frames: framesOf(query).filter(({ path }) => lines.has(path)) }))
    .filter(({ frames }) => frames.length > 0)

  const found = new Set(declared.map(({ frames }) => `${frames[0]!.path}:${frames[0]!.line}`))
  for (const [path, text] of lines)
    for (const [index, line] of text.entries())
      if (declares.test(line) && !found.has(`${path}:${index + 1}`))
        throw new Error(`${path}:${index + 1} declares a query that no module has created.`)
  return declared.map(({ query, frames }) => ({ query, name: nameOf(frames, lines) }))
}

/** The lines of the files that declare queries, by path. */
async function declaringFiles(): Promise<Map<string, string[]>> {
  const files = new Map<string, string[]>()
  for (const path of await readdir(src, { recursive: true })) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts') || path === 'db/prepared.ts') continue
    const text = await readFile(join(src, path), 'utf8')
    if (declares.test(text)) files.set(path, text.split('\n'))
  }
  return files
}

/** The stack from the declaration outwards: if a function declares the query, its caller follows. */
const framesOf = ({ declaration }: Prepared<never, unknown>): Frame[] =>
  String(declaration.stack)
    .split('\n')
    .map((line) => /^(?<path>[^:]+\.ts):(?<line>\d+):/.exec(line.slice(line.indexOf('/')))?.groups)
    .filter((groups) => groups !== undefined)
    .map(({ path, line }) => ({ path: relative(src, path!), line: Number(line) }))

/** The constant of the innermost line that declares one. */
function nameOf(frames: readonly Frame[], lines: ReadonlyMap<string, string[]>): string {
  const path = frames[0]!.path
  const names = frames
    .filter((frame) => frame.path === path)
    .map(({ line }) => /^(?:export )?const (\w+) = (?!\()/.exec(lines.get(path)![line - 1]!)?.[1])
  return `${path} ${names.find((name) => name !== undefined) ?? `line ${frames[0]!.line}`}`
}
