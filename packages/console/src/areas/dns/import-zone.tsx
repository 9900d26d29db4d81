import { Alert, Button, Checkbox, FileButton, Group, Stack, Textarea } from '@mantine/core'
import { IconCircleCheck, IconFileText } from '@tabler/icons-react'
import { consoleAreas, maxBodyBytesOf } from '@svc/contract'
import { useState, type ClipboardEvent, type DragEvent } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { ErrorNote } from '../../parts/errors.js'
import { FormModal } from '../../parts/form-dialog.js'
import { useFormState } from '../../parts/form-state.js'
import { counted, formatBytes } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { Hint } from '../../parts/text.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { ImportPreview, isNoOp } from './import-preview.js'
import { recordsQuery } from './queries.js'

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
  const preview = useSingleMutation({
    mutationFn: (input: { text: string; replace: boolean }) => client.dns.zoneFilePreview({ zone, ...input }),
  })
  const apply = useSingleMutation({
    mutationFn: () => client.dns.zoneFileImport({ zone, text, replace }),
    onSuccess: async ({ created, ttl_changed: changed, deleted }) => {
      onClose()
      notifyDone(`${counted(created, 'record')} added, ${String(changed)} changed, ${String(deleted)} deleted.`)
      await queryClient.invalidateQueries(recordsQuery(zone))
    },
  })
  const isChanged = text !== '' || replace
  useFormState({ isChanged, isPending: apply.isPending })
  const back = () => {
    preview.reset()
    apply.reset()
  }
  if (preview.data === undefined)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault()
          preview.mutate({ text, replace })
        }}
      >
        <Stack>
          <FileText text={text} onChange={setText} />
          <Checkbox
            label={fieldOf(consoleAreas.dns.zoneFileImport, 'replace').description}
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
  const canApply = preview.data.problems.length === 0 && !isNoOp(preview.data)
  return (
    <Stack>
      <ImportPreview preview={preview.data} />
      {preview.data.problems.length === 0 && isNoOp(preview.data) && (
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

interface TextProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

const { zoneFileImport } = consoleAreas.dns
const { maxLength: textMax = Infinity } = fieldOf(zoneFileImport, 'text')
const bytesMax = maxBodyBytesOf(zoneFileImport)

/** The bytes of the text in the body of its request, where line breaks and quotes are escaped. */
const bytesOf = (text: string): number => new Blob([JSON.stringify({ text, replace: false })]).size

const tooLarge = (bytes: number): string =>
  `This text has ${formatBytes(bytes)}. The console imports at most ${formatBytes(Math.min(textMax, bytesMax))}: ask the operator of this server to import it.`

/** The text of the file: typed, pasted, chosen or dropped. */
function FileText({ text, onChange }: TextProps) {
  const [isOver, setOver] = useState(false)
  const [problem, setProblem] = useState<string>()
  const read = async (file: File | null | undefined) => {
    if (!file) return
    // A large file must not be read into memory.
    if (file.size > bytesMax) setProblem(tooLarge(file.size))
    else take(await file.text())
  }
  // A browser needs many seconds to show a text of 10 MB.
  const take = (changed: string) => {
    const isTooLarge = changed.length > textMax || bytesOf(changed) > bytesMax
    setProblem(isTooLarge ? tooLarge(bytesOf(changed)) : undefined)
    if (!isTooLarge) onChange(changed)
  }
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain')
    if (pasted.length + text.length <= textMax) return
    const { selectionStart, selectionEnd } = event.currentTarget
    event.preventDefault()
    take(text.slice(0, selectionStart) + pasted + text.slice(selectionEnd))
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void read(event.dataTransfer.files[0])
  }
  return (
    <Textarea
      label="Zone file"
      description="In BIND format, as most DNS providers export it. Paste it, or drop the file here. SOA records, and NS records of the zone itself, are skipped."
      placeholder={'www  3600  IN  A  192.0.2.1'}
      autosize
      minRows={10}
      maxRows={18}
      resize="vertical"
      spellCheck={false}
      data-autofocus
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      variant={isOver ? 'filled' : 'default'}
      value={text}
      error={problem}
      onChange={(event) => take(event.currentTarget.value)}
      onPaste={paste}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      inputContainer={(input) => (
        <>
          {input}
          <Group mt={6} justify="space-between">
            <FileButton onChange={(file) => void read(file)} accept=".zone,.txt,.db,text/*">
              {(button) => (
                <Button {...button} size="compact-sm" variant="light" leftSection={<IconFileText size={14} />}>
                  Choose a file
                </Button>
              )}
            </FileButton>
            <Hint>{counted(text === '' ? 0 : text.split('\n').length, 'line')}</Hint>
          </Group>
        </>
      )}
    />
  )
}
