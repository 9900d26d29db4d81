import { Button, Group, Progress, Stack, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core'
import { areas } from '@svc/contract'
import { useEffect, useRef, useState } from 'react'
import { uploadClient } from '../../app/client.js'
import type { Sent } from '../../app/fetch-with-progress.js'
import { ErrorNote } from '../../parts/errors.js'
import { notifyDone } from '../../parts/notify.js'
import { DialogButtons } from '../../parts/form-actions.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'
import { ArtifactFiles } from './artifact-files.js'
import { refreshPackages } from './queries.js'
import { nextVersions } from './version-numbers.js'

interface Props {
  readonly slug: string | undefined
  readonly versions: readonly string[]
  readonly onBusy: (isBusy: boolean) => void
  readonly onCancel: () => void
  readonly onPublished: (slug: string) => void
}

interface Input {
  readonly slug: string
  readonly version: string
  readonly description: string
  readonly artifacts: readonly File[]
}

const { publish } = areas.packages

/** The server stores up to a gigabyte for each file after it was sent. */
const publishMs = 5 * 60_000

/** Sends a version with its files, and can be stopped. */
function usePublish(input: Input, onPublished: (slug: string) => void) {
  const [sent, setSent] = useState<Sent>()
  const stopper = useRef<AbortController>(undefined)
  const submission = useSubmit({
    fields: ['slug', 'version', 'description', 'artifacts'],
    input,
    send: async ({ description, artifacts, ...rest }: Input) => {
      stopper.current = new AbortController()
      try {
        return await uploadClient(setSent).packages.publish(
          { ...rest, description: description === '' ? undefined : description },
          {
            files: artifacts.map((file) => ({ name: file.name, content: file })),
            signal: stopper.current.signal,
            timeoutMs: publishMs,
          },
        )
      } finally {
        setSent(undefined)
      }
    },
    onDone: async (_, { slug, version }) => {
      await refreshPackages()
      notifyDone(`${slug} ${version} is published.`)
      onPublished(slug)
    },
  })
  return { ...submission, sent, stop: () => stopper.current?.abort() }
}

/** The package, the version and the files of a publication. */
export function PublishForm({ slug: fixedSlug, versions, onBusy, onCancel, onPublished }: Props) {
  const [slug, setSlug] = useState(fixedSlug ?? '')
  const [version, setVersion] = useState('')
  const [description, setDescription] = useState('')
  const [artifacts, setArtifacts] = useState<readonly File[]>([])
  const { submit, isPending, problem, error, sent, stop } = usePublish(
    { slug, version, description, artifacts },
    onPublished,
  )
  useEffect(() => onBusy(isPending), [isPending, onBusy])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <ArtifactFiles files={artifacts} onChange={setArtifacts} problem={problem('artifacts')} disabled={isPending} />
        {fixedSlug === undefined && (
          <TextInput
            label="Package"
            description={fieldOf(publish, 'slug').description}
            required
            value={slug}
            onChange={(event) => setSlug(event.currentTarget.value)}
            error={problem('slug')}
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
        <VersionInput versions={versions} value={version} onChange={setVersion} problem={problem('version')} />
        {fixedSlug === undefined && (
          <Textarea
            label="Description"
            description="Optional: what it is for, in a sentence or two."
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            maxLength={fieldOf(publish, 'description').maxLength}
            error={problem('description')}
          />
        )}
        {error && error.name !== 'AbortError' && <ErrorNote error={error} title="Nothing was published" />}
        {sent && <Sending {...sent} />}
        <Text size="sm" c="dimmed">
          The files are public. A published version never changes, and its number cannot be used again.
        </Text>
        <DialogButtons>
          <Button variant="default" onClick={isPending ? stop : onCancel}>
            {isPending ? 'Stop sending' : 'Cancel'}
          </Button>
          <Button type="submit" loading={isPending} disabled={artifacts.length === 0}>
            Publish the version
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  )
}

interface VersionProps {
  readonly versions: readonly string[]
  readonly value: string
  readonly onChange: (version: string) => void
  readonly problem: string | undefined
}

function VersionInput({ versions, value, onChange, problem }: VersionProps) {
  return (
    <div>
      <TextInput
        label="Version"
        description={fieldOf(publish, 'version').description}
        required
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        maxLength={fieldOf(publish, 'version').maxLength}
        error={problem}
        autoCapitalize="none"
        spellCheck={false}
      />
      <Group gap="xs" mt={6}>
        <Text size="sm" c="dimmed">
          Use
        </Text>
        {nextVersions(versions).map((next) => (
          <UnstyledButton
            key={next}
            type="button"
            onClick={() => onChange(next)}
            fz="sm"
            c="var(--mantine-color-anchor)"
          >
            {next}
          </UnstyledButton>
        ))}
      </Group>
    </div>
  )
}

function Sending({ bytes, total }: Sent) {
  const percent = Math.round((bytes / Math.max(total, 1)) * 100)
  return (
    <div>
      <Text size="sm" mb={4}>
        {bytes < total ? `Sending: ${percent} %` : 'The server stores the files…'}
      </Text>
      <Progress value={percent} animated={bytes >= total} aria-label="Sending" />
    </div>
  )
}
