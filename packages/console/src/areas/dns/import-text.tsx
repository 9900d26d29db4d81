import { Button, FileButton, Group, Textarea } from '@mantine/core'
import { IconFileText } from '@tabler/icons-react'
import { areas, maxBodyBytesOf } from '@svc/contract'
import { useState, type ClipboardEvent, type DragEvent, type RefObject } from 'react'
import { counted, formatBytes } from '../../parts/format.js'
import { fieldOf } from '../../parts/schema.js'
import { Hint } from '../../parts/text.js'

interface Props {
  readonly input: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onChange: (text: string) => void
}

const { zoneFileImport } = areas.dns
const { maxLength: textMax = Infinity } = fieldOf(zoneFileImport, 'text')
const bytesMax = maxBodyBytesOf(zoneFileImport)

/** The bytes of the text in the body of its request, where line breaks and quotes are escaped. */
const bytesOf = (text: string): number => new Blob([JSON.stringify({ text, replace: false })]).size

const tooLarge = (bytes: number): string =>
  `This text has ${formatBytes(bytes)}. The console imports at most ${formatBytes(Math.min(textMax, bytesMax))}: ask the operator of this server to import it.`

/** The text of the file: typed, pasted, chosen or dropped. */
export function FileText({ input, text, onChange }: Props) {
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
    // As the text area has them, so that its lines are those of the server.
    if (!isTooLarge) onChange(changed.replace(/\r\n?/g, '\n'))
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
      ref={input}
      wrap="off"
      label="Zone file"
      description="In BIND format, as most DNS providers export it. Paste it, or drop the file here. SOA records, and NS records of the zone itself, are skipped."
      placeholder={'www  3600  IN  A  192.0.2.1'}
      autosize
      minRows={10}
      maxRows={18}
      resize="vertical"
      spellCheck={false}
      data-autofocus
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13, whiteSpace: 'pre' } }}
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
      inputContainer={(field) => (
        <>
          {field}
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
