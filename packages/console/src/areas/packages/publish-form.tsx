import { Button, Group, Progress, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core'
import { areas } from '@svc/contract'
import { useEffect, useRef, useState } from 'react'
import { uploadClient } from '../../parts/api/client.js'
import type { Sent } from '../../parts/api/fetch-with-progress.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { DialogButtons, SubmitForm } from '../../parts/submit-form.js'
import { Note } from '../../parts/text.js'
import { useSubmit, type TextProps } from '../../parts/use-submit.js'
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

const { publish } = areas.packages

/** The server stores up to a gigabyte for each file after it was sent. */
const publishMs = 5 * 60_000

const noFiles: readonly File[] = []

/** Sends a version with its files, and can be stopped. */
function usePublish(slug: string, onPublished: (slug: string) => void) {
  const [sent, setSent] = useState<Sent>()
  const stopper = useRef<AbortController>(undefined)
  const form = useSubmit({
    op: publish,
    initial: { slug, version: '', description: '', artifacts: noFiles },
    send: async ({ description, artifacts, ...rest }) => {
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
  const error = form.error?.name === 'AbortError' ? undefined : form.error
  return { form: { ...form, error }, sent, stop: () => stopper.current?.abort() }
}

/** The package, the version and the files of a publication. */
export function PublishForm({ slug: fixedSlug, versions, onBusy, onCancel, onPublished }: Props) {
  const { form, sent, stop } = usePublish(fixedSlug ?? '', onPublished)
  const { isPending } = form
  const { artifacts } = form.values
  useEffect(() => onBusy(isPending), [isPending, onBusy])
  const buttons = (
    <>
      {sent && <Sending {...sent} />}
      <Note>The files are public. A published version never changes, and its number cannot be used again.</Note>
      <DialogButtons>
        <Button variant="default" onClick={isPending ? stop : onCancel}>
          {isPending ? 'Stop sending' : 'Cancel'}
        </Button>
        <Button type="submit" loading={isPending} disabled={artifacts.length === 0}>
          Publish the version
        </Button>
      </DialogButtons>
    </>
  )
  return (
    <SubmitForm form={form} errorTitle="Nothing was published" buttons={buttons}>
      <ArtifactFiles
        files={artifacts}
        onChange={(files) => form.set({ artifacts: files })}
        problem={form.problem('artifacts')}
        disabled={isPending}
      />
      {fixedSlug === undefined && (
        <TextInput
          {...form.text('slug')}
          maxLength={undefined}
          label="Package"
          description={fieldOf(publish, 'slug').description}
          required
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
      <VersionInput {...form.text('version')} versions={versions} onChoose={(version) => form.set({ version })} />
      {fixedSlug === undefined && (
        <Textarea
          {...form.text('description')}
          label="Description"
          description="Optional: what it is for, in a sentence or two."
        />
      )}
    </SubmitForm>
  )
}

interface VersionProps extends TextProps {
  readonly versions: readonly string[]
  readonly onChoose: (version: string) => void
}

function VersionInput({ versions, onChoose, ...text }: VersionProps) {
  return (
    <div>
      <TextInput
        {...text}
        label="Version"
        description={fieldOf(publish, 'version').description}
        required
        autoCapitalize="none"
        spellCheck={false}
      />
      <Group gap="xs" mt={6}>
        <Note>Use</Note>
        {nextVersions(versions).map((next) => (
          <UnstyledButton
            key={next}
            type="button"
            onClick={() => onChoose(next)}
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
