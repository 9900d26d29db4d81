import { readZoneFile } from '../src/areas/dns/zone-file/reader.js'
import { writeRecord } from '../src/areas/dns/zone-file/writer.js'

export const zone = 'example.com'

/** Reads a zone file of `zone`. @returns records as they are printed, with single spaces; remarks with their lines */
export function readText(text: string) {
  const { records, notes, problems } = readZoneFile(zone, text, { recordsMax: 10_000 })
  const withLine = ({ line, text: remark }: { line: number; text: string }) => `${line}: ${remark}`
  return {
    records: records.map(({ record }) => writeRecord(record).replaceAll('\t', ' ')),
    notes: notes.map(withLine),
    problems: problems.map(withLine),
  }
}

export const lines = (...all: string[]) => all.join('\n')
