import { badRequestSentence } from '@svc/contract/errors'
import type { Refuse } from './pattern.js'

const lineMax = 2_000

/** A line of a rules file that is not empty and not a comment. */
export interface RuleLine {
  /** Without comment and white space at its end. */
  readonly text: string
  readonly refuse: Refuse
}

/** @param content of the file, whose size the archive's check limits @throws ApiError `bad_request` */
export function readLines(file: '_headers' | '_redirects', content: string): RuleLine[] {
  const lines: RuleLine[] = []
  const given = content
    .replace(/^\uFEFF/, '')
    .toWellFormed()
    .split('\n')
  for (const [index, line] of given.entries()) {
    const refuse: Refuse = (problem) => {
      throw badRequestSentence('archive', `archive: ${file}, line ${index + 1}: ${problem}`)
    }
    const text = line.trimEnd()
    if (text.trimStart() === '' || text.trimStart().startsWith('#')) continue
    if (text.length > lineMax) refuse(`a line has at most ${lineMax} characters, not ${text.length}`)
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(text)) refuse('control characters are not supported')
    lines.push({ text, refuse })
  }
  return lines
}
