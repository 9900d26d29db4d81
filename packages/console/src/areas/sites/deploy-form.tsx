import { Button, Progress as ProgressBar, Text, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useEffect, useState } from 'react'
import { fieldOf } from '../../parts/schema.js'
import { DialogButtons, SubmitForm } from '../../parts/submit-form.js'
import { problemOf } from '../../parts/use-submit.js'
import { Contents } from './contents.js'
import { rootsOf, suggestedName, type Dropped } from './dropped-files.js'
import type { Deployed } from './queries.js'
import { useDeploy, type Progress } from './use-deploy.js'

interface Props {
  readonly dropped: Dropped
  readonly site: string | undefined
  readonly onBusy: (isBusy: boolean) => void
  /** The user wants to choose other files. */
  readonly onOther: () => void
  readonly onDeployed: (site: Deployed) => void
}

const nameField = fieldOf(areas.sites.deploy, 'name')
const namePattern = new RegExp(nameField.pattern ?? '')

/** What was dropped, the name of the site, and the deployment while it runs. */
export function DeployForm({ dropped, site, onBusy, onOther, onDeployed }: Props) {
  const [name, setName] = useState(site ?? suggestedName(dropped.name))
  const [rootPath, setRootPath] = useState<string>()
  const { start, stop, progress, isPending, error } = useDeploy(onDeployed)
  useEffect(() => onBusy(isPending), [isPending, onBusy])
  const roots = dropped.kind === 'folder' ? rootsOf(dropped.files) : []
  const root = roots.find(({ path }) => path === rootPath) ?? roots[0]
  const isEmpty = root?.files.length === 0
  const isName = namePattern.test(name)
  const problem = site === undefined ? problemOf(error, ['name'], { name }) : undefined
  const form = {
    submit: () => {
      if (isName && !isEmpty) start({ name, content: dropped.kind === 'zip' ? dropped.zip : (root?.files ?? []) })
    },
    // The dropped files are input too.
    isChanged: true,
    isPending,
    error: problem === undefined ? error : undefined,
  }
  const buttons = (
    <>
      {progress && <Running {...progress} />}
      <DialogButtons>
        {isPending ? (
          <Button variant="default" onClick={stop} disabled={progress?.phase === 'check'}>
            Stop sending
          </Button>
        ) : (
          <Button variant="default" onClick={onOther}>
            Choose other files
          </Button>
        )}
        <Button type="submit" loading={isPending} disabled={!isName || isEmpty}>
          Deploy the site
        </Button>
      </DialogButtons>
    </>
  )
  return (
    <SubmitForm form={form} errorTitle="Nothing was deployed, and the site has not changed" buttons={buttons}>
      <Contents dropped={dropped} roots={roots} root={root} onRoot={setRootPath} disabled={isPending} />
      {site === undefined && (
        <TextInput
          label="Name"
          description="The first part of its address: a to z, 0 to 9, and hyphens except at the ends. The name of one of your sites deploys a new version of that site."
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          disabled={isPending}
          error={
            problem?.text ?? (name !== '' && !isName && 'Use only a to z, 0 to 9, and hyphens except at the ends.')
          }
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </SubmitForm>
  )
}

const phases = { zip: 'Zipping the folder', send: 'Sending', check: 'The server checks and stores the files' } as const

function Running({ phase, part }: Progress) {
  const percent = Math.round(part * 100)
  const text = phase === 'check' ? `${phases.check}…` : `${phases[phase]}: ${percent} %`
  return (
    <div>
      <Text size="sm" mb={4}>
        {text}
      </Text>
      <ProgressBar value={percent} animated={phase === 'check'} aria-label={phases[phase]} />
    </div>
  )
}
