import { isQualifiedHostName } from '../../../shared/host-name.js'
import { labels } from './fields.js'
import { linesOf } from './text.js'

/** A labelled value of a WHOIS answer. */
export interface Entry {
  /** In lower case, without dots at its end. */
  readonly label: string
  readonly value: string
  /** The label of the heading that the line is indented below; empty without. */
  readonly section: string
  /** The label of the first line since the last blank line: the kind of object in answers like those of RIPE. */
  readonly object: string
}

/** The characters of a label, and its longest length: sentences with a colon are not labels. */
const labelText = /^[\p{L}\d][\p{L}\d /_.()-]*$/u
const labelMax = 50

/** `[Name Server]  ns1.example.jp`, `p. [Name Server]  ns1.example.jp`. */
const bracketed = /^(?:[a-z]\. )?\[([^\]]{1,50})\](.*)$/

/** A heading without a colon, such as `Nameservers` above indented lines. */
const heading = /^[\p{L}][\p{L} -]{0,29}$/u

/** Comments, and marks that some registries put before labels. */
const comment = /^(?:%|#|>>>|--)/

/**
 * Reads the labelled values of a WHOIS answer, in the layouts that registries use: `label: value`, values on indented lines below a
 * label, headings with indented labels, and labels in brackets. Each line is read once.
 */
export function entriesOf(text: string): readonly Entry[] {
  const entries: Entry[] = []
  const lines = linesOf(text)
  let section = ''
  let sectionIndent = 0
  let object = ''
  let isNewObject = true
  lines.forEach((line, index) => {
    const bare = line.trim().replace(/^\*\* /, '')
    if (bare === '' || comment.test(bare)) {
      isNewObject ||= bare === ''
      return
    }
    const indent = line.length - line.trimStart().length
    if (section !== '' && indent <= sectionIndent && !isContinued(section, bare, isNewObject)) section = ''
    const { name, value } = labelled(bare)
    if (isNewObject) object = name ?? ''
    isNewObject = false
    if (name !== undefined && value !== '') {
      entries.push({ label: name, value, section, object })
      // Further values may follow on indented lines, such as nameservers.
      if (section === '') [section, sectionIndent] = [name, indent]
    } else if (name !== undefined) [section, sectionIndent] = [name, indent]
    else if (section !== '') entries.push({ label: section, value: bare, section: '', object })
    else if (heading.test(bare) && isIndented(lines[index + 1], indent)) {
      ;[section, sectionIndent] = [bare.toLowerCase(), indent]
    }
  })
  return entries
}

/** Splits `Label: value`, `label........: value` and `[Label] value`. The name is undefined for other lines. */
function labelled(line: string): { readonly name: string | undefined; readonly value: string } {
  const [, inBrackets, after = ''] = bracketed.exec(line) ?? []
  if (inBrackets !== undefined) return { name: inBrackets.toLowerCase(), value: after.trim() }
  const at = line.slice(0, 2 * labelMax).indexOf(':')
  const label = line.slice(0, endOfLabel(line, at))
  const name = label.toLowerCase()
  // `Name Server:ns1.example.im`, but not `https://` or `10:30`.
  const isSeparated = /^[ \t]?$/.test(line.charAt(at + 1)) || knownLabels.has(name)
  const isLabel = isSeparated && label.length <= labelMax && labelText.test(label)
  return isLabel ? { name, value: line.slice(at + 1).trim() } : { name: undefined, value: '' }
}

/** The registry of .pl does not indent the value below a heading, and those of .hk and .tr their lists of nameservers. */
const isContinued = (section: string, line: string, isAfterBlank: boolean): boolean =>
  (section === 'registrar' && !isAfterBlank && labelled(line).name === undefined) ||
  (hostHeadings.has(section) && isHostLine(line))

function endOfLabel(line: string, colonAt: number): number {
  let end = Math.max(colonAt, 0)
  while (end > 0 && '. \t'.includes(line.charAt(end - 1))) end -= 1
  return end
}

const knownLabels: ReadonlySet<string> = new Set(Object.values(labels).flat())
const hostHeadings: ReadonlySet<string> = new Set(labels.nameservers)

/** `ns1.example.hk`, `ns1.example.hk 192.0.2.1`. */
function isHostLine(line: string): boolean {
  const [host = '', ...others] = line.toLowerCase().split(/\s{1,50}/, 3)
  return others.length < 2 && isQualifiedHostName(host.replace(/\.$/, ''))
}

const isIndented = (line: string | undefined, indent: number): boolean =>
  line !== undefined && line.trim() !== '' && line.length - line.trimStart().length > indent
