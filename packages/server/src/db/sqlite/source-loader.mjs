import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'

/**
 * Module hooks that load TypeScript sources. The compiled text is kept by the hash of the source: tests start this thread hundreds
 * of times, and compiling its modules takes a second.
 */

const kept = new URL('../../../../../node_modules/.cache/svc-sources/', import.meta.url)

export function resolve(specifier, context, next) {
  const isInSource = specifier.startsWith('.') && context.parentURL?.endsWith('.ts')
  return next(isInSource ? specifier.replace(/\.js$/, '.ts') : specifier, context)
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  return { format: 'module', shortCircuit: true, source: await compiled(await readFile(new URL(url))) }
}

async function compiled(source) {
  const file = new URL(`${createHash('sha256').update(source).digest('hex')}.js`, kept)
  try {
    return await readFile(file)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  const { ModuleKind, ScriptTarget, transpile } = (await import('typescript')).default
  const options = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023, verbatimModuleSyntax: true }
  const text = transpile(source.toString(), options)
  // Other threads compile the same file at the same time, and must not read half of it.
  const unfinished = new URL(randomUUID(), kept)
  await mkdir(kept, { recursive: true })
  await writeFile(unfinished, text)
  await rename(unfinished, file)
  return text
}
