import { Code, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { consoleAreas, deploymentFolders, deploymentKinds, slugPattern, type DeploymentKind } from '@svc/contract'
import { useState } from 'react'
import { contentUrl } from '../../app/base.js'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { FormActions } from '../../parts/form-actions.js'
import { fieldOf } from '../../parts/schema.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { useSubmit } from '../../parts/use-submit.js'
import { emptyDraft, slugOf, termsOf, type Draft } from './draft.js'
import { kinds } from './kinds.js'
import { deploymentsQuery, pathOf } from './queries.js'
import { termFields, TermsFields } from './terms-fields.js'

interface Props {
  /** The kind to create; undefined while the dialog is closed. */
  readonly kind: DeploymentKind | undefined
  readonly onKind: (kind: DeploymentKind) => void
  readonly onClose: () => void
}

/** Creates a form, a webhook or a short link. */
export function NewDeployment({ kind, onKind, onClose }: Props) {
  return (
    <FormModal
      opened={kind !== undefined}
      onClose={onClose}
      title={kind && `Create a ${kinds[kind].noun}`}
      size="lg"
      transitionProps={{ duration: 0 }}
    >
      {kind !== undefined && <NewForm kind={kind} onKind={onKind} onClose={onClose} />}
    </FormModal>
  )
}

type CreateInput = Parameters<typeof client.deployments.create>[0]

function NewForm({ kind, onKind, onClose }: Props & { readonly kind: DeploymentKind }) {
  const [slug, setSlug] = useState('')
  const [draft, setDraft] = useState<Draft>(emptyDraft)
  const navigate = useNavigateHere()
  const { target, ...options } = termsOf(kind, draft)
  const { submit, isPending, problem, error, reset } = useSubmit({
    fields: ['slug', ...termFields],
    input: { kind, slug: slug === '' ? undefined : slug, target: target ?? undefined, ...options },
    send: (input: CreateInput) => client.deployments.create(input),
    onDone: async (created) => {
      notifyDone(`The ${kinds[kind].noun} is created.`)
      await navigate(pathOf(created))
      await queryClient.invalidateQueries(deploymentsQuery)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <SegmentedControl
          fullWidth
          aria-label="Kind"
          value={kind}
          onChange={(value) => {
            reset()
            onKind(value)
          }}
          data={deploymentKinds.map((value) => ({ value, label: kinds[value].label }))}
        />
        <Text size="sm" c="dimmed">
          {kinds[kind].purpose}
        </Text>
        <SlugField kind={kind} slug={slug} onChange={setSlug} problem={problem('slug')} />
        <TermsFields kind={kind} draft={draft} onChange={setDraft} problem={problem} />
        <FormActions action={`Create the ${kinds[kind].noun}`} isPending={isPending} error={error} onCancel={onClose} />
      </Stack>
    </form>
  )
}

interface SlugProps {
  readonly kind: DeploymentKind
  readonly slug: string
  readonly onChange: (slug: string) => void
  readonly problem: string | undefined
}

const isSlug = new RegExp(slugPattern)

/** The last part of the address, with the address that results. */
function SlugField({ kind, slug, onChange, problem }: SlugProps) {
  const isOpen = slug === '' || isSlug.test(slug)
  return (
    <div>
      <TextInput
        label="Name in the address"
        description={`${fieldOf(consoleAreas.deployments.create, 'slug').description ?? ''}.`}
        placeholder={kind === 'webhook' ? 'random: the address of a webhook is its secret' : 'random'}
        data-autofocus
        spellCheck={false}
        autoCapitalize="none"
        value={slug}
        onChange={(event) => onChange(slugOf(event.currentTarget.value))}
        error={isOpen ? problem : 'Only lower-case letters, digits and hyphens, without a hyphen at the end'}
      />
      <Text size="sm" mt={4} aria-live="polite">
        Address:{' '}
        <Code style={{ overflowWrap: 'anywhere' }}>{`${contentUrl}/${deploymentFolders[kind]}/${slug || '…'}`}</Code>
      </Text>
    </div>
  )
}
