import { Alert, Button, Stack, UnstyledButton } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { counted, formatCount } from '../../parts/format.js'
import { Note } from '../../parts/text.js'
import classes from './import-problems.module.css'
import { shownMax, type Remark } from './import-preview.js'
import { canSkip } from './skip-lines.js'

interface Props {
  readonly problems: readonly Remark[]
  /** The text that has them. */
  readonly text: string
  /** The text has been changed since. */
  readonly isOld: boolean
  readonly onJump: (line: number) => void
  readonly onSkip: (lines: ReadonlySet<number>) => void
  readonly isPending: boolean
}

/** The invalid lines of a zone file: each leads to its line, and all of them can become comments. */
export function ImportProblems({ problems, text, isOld, onJump, onSkip, isPending }: Props) {
  const lines = text.split('\n')
  const numbers = new Set(problems.map(({ line }) => line))
  const skippable = new Set([...numbers].filter((line) => canSkip(lines[line - 1] ?? '')))
  return (
    <Stack gap="xs">
      <Alert
        color="red"
        p="sm"
        icon={<IconAlertCircle size={18} />}
        title={`${counted(numbers.size, 'line')} must be corrected first`}
        role="alert"
      >
        {isOld && <Note>The text has been changed since. Preview it again.</Note>}
        <ul className={classes['list']}>
          {problems.slice(0, shownMax).map(({ line, text: problem }, at) => (
            <li key={at}>
              <UnstyledButton className={classes['problem']} onClick={() => onJump(line)}>
                <b>Line {line}:</b> {problem}
              </UnstyledButton>
            </li>
          ))}
          {problems.length > shownMax && <li>And {formatCount(problems.length - shownMax)} more.</li>}
        </ul>
      </Alert>
      {skippable.size > 0 && !isOld && (
        <Button variant="default" onClick={() => onSkip(skippable)} loading={isPending}>
          {skippable.size === 1 ? 'Skip this line' : `Skip these ${formatCount(skippable.size)} lines`}
        </Button>
      )}
    </Stack>
  )
}
