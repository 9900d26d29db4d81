import { Code, SegmentedControl, Text, TextInput } from '@mantine/core'
import { areas, deploymentFolders, deploymentKinds, slugPattern, type DeploymentKind } from '@svc/contract'
import { contentUrl } from '../../parts/api/base.js'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { Note } from '../../parts/text.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { useSubmit } from '../../parts/use-submit.js'
import { emptyDraft, slugOf, termsOf } from './draft.js'
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

function NewForm({ kind, onKind, onClose }: Props & { readonly kind: DeploymentKind }) {
  const navigate = useNavigateHere()
  const form = useSubmit({
    initial: { slug: '', ...emptyDraft },
    input: ({ slug, ...draft }) => {
      const { target, ...options } = termsOf(kind, draft)
      return { kind, slug: slug === '' ? undefined : slug, target: target ?? undefined, ...options }
    },
    fields: ['slug', ...termFields],
    send: (input) => client.deployments.create(input),
    onDone: async (created) => {
      notifyDone(`The ${kinds[kind].noun} is created.`)
      await navigate(pathOf(created))
      await queryClient.invalidateQueries(deploymentsQuery)
    },
  })
  return (
    <SubmitForm form={form} action={`Create the ${kinds[kind].noun}`} onCancel={onClose}>
      <SegmentedControl
        fullWidth
        aria-label="Kind"
        value={kind}
        onChange={(value) => {
          form.reset()
          onKind(value)
        }}
        data={deploymentKinds.map((value) => ({ value, label: kinds[value].label }))}
      />
      <Note>{kinds[kind].purpose}</Note>
      <SlugField
        kind={kind}
        slug={form.values.slug}
        onChange={(slug) => form.set({ slug })}
        problem={form.problem('slug')}
      />
      <TermsFields kind={kind} draft={form.values} onChange={form.set} problem={form.problem} />
    </SubmitForm>
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
        description={`${fieldOf(areas.deployments.create, 'slug').description ?? ''}.`}
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
