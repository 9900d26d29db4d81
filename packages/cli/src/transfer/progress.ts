import cliProgress from 'cli-progress'
import { isNoteOnTerminal, note } from '../output.js'
import { bytesText, durationText, speedText, Speedometer } from './quantities.js'

/** Shows how far a transfer is: a bar if stderr is a terminal, otherwise one line at the end. */
export interface Progress {
  /** Sets the number of all bytes when it becomes known. */
  readonly expect: (total: number) => void
  /** Counts bytes of this run; a negative number if they have to be sent again. */
  readonly add: (bytes: number) => void
  /** Counts bytes of an earlier run. */
  readonly skip: (bytes: number) => void
  readonly note: (text: string) => void
  /** Ends the display after a success. */
  readonly finish: () => void
  /** Ends the display after a failure. */
  readonly stop: () => void
}

interface Counts {
  total: number | undefined
  moved: number
  skipped: number
}

/** @param verb what happens to the bytes, for the line at the end */
export function startProgress(verb: 'sent' | 'received'): Progress {
  const counts: Counts = { total: undefined, moved: 0, skipped: 0 }
  const startedAt = performance.now()
  let bar = isNoteOnTerminal() ? startBar(counts, startedAt) : undefined
  const stop = () => {
    bar?.stop()
    bar = undefined
  }
  return {
    expect: (bytes) => void (counts.total = bytes),
    add: (bytes) => void (counts.moved += bytes),
    skip: (bytes) => void (counts.skipped += bytes),
    note: (text) => {
      bar?.stop()
      note(`svc: ${text}`)
      bar?.start(1, 0)
    },
    finish: () => {
      if (bar) stop()
      else note(summary(counts, verb, (performance.now() - startedAt) / 1000))
    },
    stop,
  }
}

function startBar(counts: Counts, startedAt: number): cliProgress.SingleBar {
  const speedometer = new Speedometer(startedAt)
  const bar = new cliProgress.SingleBar({
    // Text from outside never gets into the bar: it has only numbers.
    format: ({ barsize = 0, barCompleteString = '', barIncompleteString = '' }) => {
      const share = shareOf(counts)
      const size = share === undefined ? 0 : Math.round(share * barsize)
      const drawn = barCompleteString.slice(0, size) + barIncompleteString.slice(0, barsize - size)
      return barText(counts, drawn, speedometer.measure(counts.moved, performance.now()))
    },
    barsize: 24,
    barCompleteChar: '#',
    barIncompleteChar: '-',
    forceRedraw: true,
    // The settings of the terminal stay as they are, so that nothing has to be restored if the process is killed.
    linewrap: true,
    hideCursor: false,
    gracefulExit: false,
  })
  bar.start(1, 0)
  return bar
}

/** Between 0 and 1; undefined without a total. */
const shareOf = ({ total, moved, skipped }: Counts): number | undefined =>
  total === undefined ? undefined : total === 0 ? 1 : Math.min(1, (moved + skipped) / total)

/** The line of the bar: share, bytes, speed and remaining time. */
export function barText(counts: Counts, bar: string, bytesPerSecond: number): string {
  const { total, moved, skipped } = counts
  const done = moved + skipped
  const share = shareOf(counts)
  if (total === undefined || share === undefined) return `${bytesText(done)} | ${speedText(bytesPerSecond)}`
  const left = done >= total ? 0 : (total - done) / bytesPerSecond
  const percent = `${String(Math.floor(share * 100)).padStart(3)}%`
  return `${bar} ${percent} | ${bytesText(done)} of ${bytesText(total)} | ${speedText(bytesPerSecond)} | ${durationText(left)} left`
}

/** `100.0 MiB sent in 12.1 s (8.3 MiB/s)`. */
export function summary({ moved, skipped }: Omit<Counts, 'total'>, verb: string, seconds: number): string {
  const earlier = skipped > 0 ? `; ${bytesText(skipped)} were ${verb} earlier` : ''
  return `${bytesText(moved)} ${verb} in ${seconds < 60 ? `${seconds.toFixed(1)} s` : durationText(seconds)} (${speedText(moved / seconds)})${earlier}`
}
