import { formatDay, describeDays, type DayCounts } from './day-counts.js'
import { counted } from './format.js'
import classes from './sparkline.module.css'

/** Of the drawing: it is stretched to the width of its place. */
const [width, height] = [100, 32]

interface Props {
  readonly entries: readonly DayCounts<'count'>[]
  /** Name of the counted events, in the singular: "request". */
  readonly noun: string
}

/** The counts of a few days as a line, without axes. Screen readers get its sum and the day with the most. */
export function Sparkline({ entries, noun }: Props) {
  const most = Math.max(1, ...entries.map(({ count }) => count))
  const step = width / Math.max(1, entries.length - 1)
  const points = entries.map(
    ({ count }, index) => `${String(index * step)},${String(height - (count / most) * height)}`,
  )
  const { total, most: busiest } = describeDays(entries, ['count'])
  const [first, last] = [entries[0], entries.at(-1)]
  const period = first && last ? `, ${formatDay(first.day)} to ${formatDay(last.day)}` : ''
  return (
    <svg
      role="img"
      aria-label={[`${counted(total, noun)}${period}`, busiest].filter((part) => part !== '').join(', ')}
      viewBox={`0 -2 ${String(width)} ${String(height + 4)}`}
      preserveAspectRatio="none"
      className={classes['chart']}
    >
      <polygon
        points={`0,${String(height)} ${points.join(' ')} ${String(width)},${String(height)}`}
        className={classes['area']}
      />
      <polyline points={points.join(' ')} className={classes['line']} />
    </svg>
  )
}
