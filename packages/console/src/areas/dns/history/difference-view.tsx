import { Button, Text, VisuallyHidden } from '@mantine/core'
import { useMemo, useState } from 'react'
import { DecodedName } from '../../../parts/decoded-name.js'
import { formatCount } from '../../../parts/format.js'
import { formatTtl, hasName } from '../record-values.js'
import { countsOf, firstLines, replacement, setChanges, type Difference, type SetChange } from './diff.js'
import classes from './history.module.css'
import { comparedPieces, piecesOf, wholeMax, type Piece } from './pieces.js'
import { countText } from './texts.js'

const linesAtFirst = 12
const moreLines = 200

/** What a change removed and added, by host and type. A long one is shown in parts. */
export function DifferenceView({ difference }: { readonly difference: Difference }) {
  const changes = useMemo(() => setChanges(difference), [difference])
  const [max, setMax] = useState(linesAtFirst)
  const { shown, hidden } = firstLines(changes, max)
  const isLong = hidden > 0 || max > linesAtFirst
  return (
    <>
      {isLong && (
        <Text size="sm" fw={500}>
          {countText(countsOf(changes))}
        </Text>
      )}
      <ul className={classes['sets']}>
        {shown.map((change) => (
          <SetView key={`${change.host} ${change.type}`} change={change} />
        ))}
      </ul>
      {hidden > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => setMax(max + moreLines)}
          style={{ alignSelf: 'flex-start' }}
        >
          Show {formatCount(Math.min(hidden, moreLines))} more of {formatCount(hidden)} values
        </Button>
      )}
    </>
  )
}

function SetView({ change }: { readonly change: SetChange }) {
  const { host, type, lines } = change
  const [isWhole, setWhole] = useState(false)
  const replaced = replacement(change)
  const isLong = lines.some(({ value }) => value.length > wholeMax)
  const piecesFor = (value: string, other: string | undefined) =>
    other === undefined ? piecesOf(value, isWhole) : comparedPieces(value, other, isWhole)
  return (
    <li className={classes['set']}>
      <div className={classes['name']}>
        <Text size="sm" component="div">
          <Text span inherit fw={600}>
            {host}
          </Text>{' '}
          <Text span inherit ff="monospace">
            {type}
          </Text>{' '}
          <Ttl {...change} />
        </Text>
        <DecodedName text={host} />
      </div>
      <ul className={classes['lines']}>
        {lines.map(({ kind, value }) => {
          const other = kind === 'removed' ? replaced?.after : kind === 'added' ? replaced?.before : undefined
          return (
            <li key={`${kind} ${value}`} className={classes['line']} data-kind={kind}>
              <span className={classes['sign']} aria-hidden>
                {signs[kind]}
              </span>
              <div className={classes['value']}>
                <VisuallyHidden>{labels[kind]}: </VisuallyHidden>
                <Pieces pieces={piecesFor(value, other)} />
                {hasName(type) && <DecodedName text={value} />}
              </div>
            </li>
          )
        })}
        {isLong && (
          <li>
            <Button variant="subtle" size="compact-xs" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
              {isWhole ? 'Shorten the values' : 'Show the whole values'}
            </Button>
          </li>
        )}
      </ul>
    </li>
  )
}

const signs = { kept: '', removed: '−', added: '+' } as const
const labels = { kept: 'Unchanged', removed: 'Removed', added: 'Added' } as const

/** The ttl of the values; the old one and the new one if it has changed. */
function Ttl({ ttlBefore, ttlAfter }: Pick<SetChange, 'ttlBefore' | 'ttlAfter'>) {
  if (ttlBefore === undefined || ttlAfter === undefined || ttlBefore === ttlAfter)
    return (
      <Text span inherit c="dimmed">
        {formatTtl(ttlAfter ?? ttlBefore ?? 0)}
      </Text>
    )
  return (
    <span className={classes['ttl']}>
      TTL <VisuallyHidden>was </VisuallyHidden>
      <span data-kind="removed">
        <span aria-hidden>−</span>
        {formatTtl(ttlBefore)}
      </span>{' '}
      <VisuallyHidden>and is now </VisuallyHidden>
      <span data-kind="added">
        <span aria-hidden>+</span>
        {formatTtl(ttlAfter)}
      </span>
    </span>
  )
}

const Pieces = ({ pieces }: { readonly pieces: readonly Piece[] }) => (
  <>
    {pieces.map(({ text, isMarked }, at) => (isMarked ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>))}
  </>
)
