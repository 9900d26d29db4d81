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
  const label = line.slice(0, Math.max(at, 0)).replace(/[. ]{1,60}$/, '')
  const isLabel = /^[ \t]?$/.test(line.charAt(at + 1)) && label.length <= labelMax && labelText.test(label)
  return isLabel ? { name: label.toLowerCase(), value: line.slice(at + 1).trim() } : { name: undefined, value: '' }
}

/** Registries such as that of .pl do not indent the value below a heading. */
const isContinued = (section: string, line: string, isAfterBlank: boolean): boolean =>
  section === 'registrar' && !isAfterBlank && labelled(line).name === undefined

const isIndented = (line: string | undefined, indent: number): boolean =>
  line !== undefined && line.trim() !== '' && line.length - line.trimStart().length > indent
