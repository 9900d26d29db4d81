import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { nameOf, type Certificate } from '../../parts/certificates/state.js'
import { CodeSample } from '../../parts/code-sample.js'
import { formatDate } from '../../parts/format.js'
import { NewPasswordInput } from '../../parts/new-password-input.js'
import { saveFile } from '../../parts/save-file.js'
import { fieldOf } from '../../parts/schema.js'
import { SecretOnceDialog } from '../../parts/secret-once.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { Hint } from '../../parts/text.js'
import { useSubmit } from '../../parts/use-submit.js'

interface Props {
  /** Undefined while the dialog is closed. */
  readonly certificate: Certificate | undefined
  readonly onClose: () => void
}

type Answer = Awaited<ReturnType<typeof client.tls.key>>

/** Downloads the certificate of a zone with its key, which a passphrase encrypts. */
export function DownloadKey({ certificate, onClose }: Props) {
  const zone = certificate && nameOf(certificate)
  return (
    <SecretOnceDialog
      opened={certificate !== undefined}
      onClose={onClose}
      title={`Certificate and key for ${zone ?? ''}`}
      size="lg"
      create={(onCreated: (answer: Answer) => void) =>
        zone !== undefined && <PassphraseForm key={zone} zone={zone} onCreated={onCreated} onCancel={onClose} />
      }
    >
      {(answer) => certificate && <Files certificate={certificate} answer={answer} />}
    </SecretOnceDialog>
  )
}

const { minLength = 0, maxLength = Infinity } = fieldOf(areas.tls.key, 'passphrase')
const lengths = `${String(minLength)} to ${String(maxLength)} characters`

const hasLength = (passphrase: string): boolean =>
  passphrase.length >= minLength && Array.from(passphrase).length <= maxLength

interface FormProps {
  readonly zone: string
  readonly onCreated: (answer: Answer) => void
  readonly onCancel: () => void
}

function PassphraseForm({ zone, onCreated, onCancel }: FormProps) {
  // No maximum in the input: the browser would silently cut a pasted passphrase.
  const form = useSubmit({
    initial: { passphrase: '' },
    input: ({ passphrase }) => ({ zone, passphrase }),
    fields: ['passphrase'],
    check: ({ passphrase }) => (hasLength(passphrase) ? {} : { passphrase: `Enter ${lengths}.` }),
    send: (input) => client.tls.key(input),
    onDone: onCreated,
  })
  return (
    <SubmitForm form={form} action="Get the files" onCancel={onCancel}>
      <Text size="sm">
        The private key leaves the server only encrypted. Choose a passphrase; the servers that use the key need it. svc
        does not store it.
      </Text>
      <NewPasswordInput
        {...form.text('passphrase')}
        label="Passphrase"
        description={`${lengths}.`}
        what="passphrase"
        data-autofocus
      />
    </SubmitForm>
  )
}

interface FilesProps {
  readonly certificate: Certificate
  readonly answer: Answer
}

function Files({ certificate, answer }: FilesProps) {
  const zone = nameOf(certificate)
  const { not_after: end } = certificate
  const files = [
    { name: `${zone}.pem`, content: answer.certificate },
    { name: `${zone}.key`, content: answer.private_key },
  ]
  return (
    <Stack>
      <Text size="sm">Save both files: the certificate with those of its issuers, and the encrypted key.</Text>
      <Group gap="xs">
        {files.map(({ name, content }, index) => (
          <Button
            key={name}
            variant={index === 0 ? 'filled' : 'default'}
            // The form that had the focus is gone.
            autoFocus={index === 0}
            leftSection={<IconDownload size={16} />}
            onClick={() => saveFile(new Blob([content], { type: 'application/x-pem-file' }), name)}
          >
            {name}
          </Button>
        ))}
      </Group>
      <Sample title="nginx, with the passphrase in a file:" what="the lines for nginx" code={nginxLines(zone)} />
      <Sample
        title="For programs that take no passphrase, make a key without one. Keep it as safe as a password:"
        what="the command for OpenSSL"
        code={`openssl pkey -in ${zone}.key -out ${zone}.plain.key`}
      />
      {end !== null && (
        <Hint>
          The certificate ends on {formatDate(end)}. svc renews it before, with a new key: download both again then, or
          let a script do it, with the request behind “API” on this page.
        </Hint>
      )}
    </Stack>
  )
}

const nginxLines = (zone: string): string =>
  ['certificate', 'certificate_key', 'password_file']
    .map((name, index) => `ssl_${name} /etc/nginx/${zone}.${['pem', 'key', 'pass'][index] ?? ''};`)
    .join('\n')

const Sample = ({ title, what, code }: { readonly title: string; readonly what: string; readonly code: string }) => (
  <div>
    <Text size="sm" mb={4}>
      {title}
    </Text>
    <CodeSample code={code} what={what} />
  </div>
)
