import { Alert, Button, Checkbox, Grid, Group, Stack } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useRef, useState } from 'react'
import { client } from '../../parts/api/client.js'
import { ErrorNote } from '../../parts/errors.js'
import { FormModal } from '../../parts/form-dialog.js'
import { useFormState } from '../../parts/form-state.js'
import { counted } from '../../parts/format.js'
import { notifyDone, notifyUndo } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { ImportPreview, isNoOp, type Preview } from './import-preview.js'
import { ImportProblems } from './import-problems.js'
import { FileText } from './import-text.js'
import { recordsChanged, takeBack } from './queries.js'
import { selectLine } from './select-line.js'
import { skipLines } from './skip-lines.js'

interface Props {
  readonly zone: string
  readonly opened: boolean
  readonly onClose: () => void
}

/** Imports a zone file: paste or drop it, preview the changes, then apply all of them. */
export function ImportZone({ zone, opened, onClose }: Props) {
  return (
    <FormModal opened={opened} onClose={onClose} title={`Import a zone file into ${zone}`} size="xl">
      <ImportForm zone={zone} onClose={onClose} />
    </FormModal>
  )
}

function ImportForm({ zone, onClose }: Omit<Props, 'opened'>) {
  const [text, setText] = useState('')
  const [replace, setReplace] = useState(false)
  const input = useRef<HTMLTextAreaElement>(null)
  const [previewed, setPreviewed] = useState<{ readonly text: string; readonly preview: Preview }>()
  const preview = useSingleMutation({
    mutationFn: (input: { text: string; replace: boolean }) => client.dns.zoneFilePreview({ zone, ...input }),
    onSuccess: (found, input) => setPreviewed({ text: input.text, preview: found }),
  })
  const apply = useSingleMutation({
    mutationFn: () => client.dns.zoneFileImport({ zone, text, replace }),
    onSuccess: async ({ created, ttl_changed: changed, deleted, serial }) => {
      onClose()
      const text = `${counted(created, 'record')} added, ${String(changed)} changed, ${String(deleted)} deleted.`
      // An import that changes nothing has the serial of another change.
      if (created + changed + deleted === 0) notifyDone(text)
      else notifyUndo(text, () => takeBack(zone, serial))
      await recordsChanged(zone)
    },
  })
  const isChanged = text !== '' || replace
  useFormState({ isChanged, isPending: apply.isPending })
  const back = () => {
    setPreviewed(undefined)
    preview.reset()
    apply.reset()
  }
  const problems = previewed?.preview.problems ?? []
  const skip = (lines: ReadonlySet<number>) => {
    const changed = skipLines(text, lines)
    setText(changed)
    preview.mutate({ text: changed, replace })
  }
  if (previewed === undefined || problems.length > 0)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault()
          preview.mutate({ text, replace })
        }}
      >
        <Stack>
          <Grid>
            <Grid.Col span={problems.length > 0 ? { base: 12, sm: 7 } : 12}>
              <FileText input={input} text={text} onChange={setText} />
            </Grid.Col>
            {previewed && (
              <Grid.Col span={{ base: 12, sm: 5 }}>
                <ImportProblems
                  problems={problems}
                  text={previewed.text}
                  isOld={text !== previewed.text}
                  onJump={(line) => selectLine(input.current, line)}
                  onSkip={skip}
                  isPending={preview.isPending}
                />
              </Grid.Col>
            )}
          </Grid>
          <Checkbox
            label={fieldOf(areas.dns.zoneFileImport, 'replace').description}
            description="Otherwise the records of the zone stay, and those of the file are added."
            checked={replace}
            onChange={(event) => setReplace(event.currentTarget.checked)}
          />
          {preview.isError && <ErrorNote error={preview.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={preview.isPending} disabled={text.trim() === ''}>
              Preview the changes
            </Button>
          </Group>
        </Stack>
      </form>
    )
  const canApply = !isNoOp(previewed.preview)
  return (
    <Stack>
      <ImportPreview preview={previewed.preview} />
      {!canApply && (
        <Alert color="teal" icon={<IconCircleCheck size={18} />}>
          The zone has all records of the file already: there is nothing to change.
        </Alert>
      )}
      {apply.isError && <ErrorNote error={apply.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={back}>
          Back to the text
        </Button>
        <Button onClick={() => apply.mutate()} loading={apply.isPending} disabled={!canApply}>
          Apply all changes
        </Button>
      </Group>
    </Stack>
  )
}
