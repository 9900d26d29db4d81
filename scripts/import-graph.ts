import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

/** The source files of all packages, without tests, each with its imports: files, or specifiers of packages. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Reads the import graph of all packages. @param types whether to include type imports, which load nothing at run time */
export function importGraph({ types }: { readonly types: boolean }): ImportGraph {
  const files = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^\w+\/src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => resolve(packages, file))
  return new Map(files.map((file) => [nameOf(file), importsOf(file, types)]))
}

const nameOf = (file: string): string => relative(packages, file)

function importsOf(file: string, types: boolean): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return []
    const { moduleSpecifier } = statement
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return []
    const isType = ts.isImportDeclaration(statement)
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly
    if (isType && !types) return []
    const { text } = moduleSpecifier
    return [text.startsWith('.') ? nameOf(resolve(dirname(file), text.replace(/\.js$/, '.ts'))) : text]
  })
}

/** Everything that a module reaches through its imports. */
export function reachableFrom(graph: ImportGraph, module: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [module]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const target of graph.get(next) ?? [])
      if (!reached.has(target)) {
        reached.add(target)
        open.push(target)
      }
  return reached
}
