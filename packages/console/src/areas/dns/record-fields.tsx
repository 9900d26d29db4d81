import { Autocomplete, Grid, Input, NativeSelect, NumberInput, Text, Textarea, TextInput } from '@mantine/core'
import { areas, recordTypes, type RecordType } from '@svc/contract'
import { useState } from 'react'
import { fieldOf } from '../../parts/schema.js'
import { fullName, hasPriority, ttlPresets, type Draft, type ValueParts } from './record-values.js'

const { recordCreate } = areas.dns

/** The fields as the server names them. */
export type RecordField = 'type' | 'host' | 'value' | 'ttl' | 'priority'

interface Props {
  readonly zone: string
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
  readonly problem: (field: RecordField) => string | undefined
  /** An existing record keeps its type. */
  readonly isTypeFixed?: boolean
}

/** The inputs of a record. They change with its type. */
export function RecordFields({ zone, draft, onChange: set, problem, isTypeFixed = false }: Props) {
  const { type, host, parts, priority } = draft
  return (
    <Grid gap="sm" align="flex-start">
      <Grid.Col span={{ base: 4, sm: 2 }}>
        <NativeSelect
          label="Type"
          data={[...recordTypes]}
          value={type}
          disabled={isTypeFixed}
          onChange={(event) => set({ type: event.currentTarget.value as RecordType })}
          error={problem('type')}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 8, sm: 5 }}>
        <TextInput
          label="Host"
          placeholder="@"
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          data-autofocus
          value={host}
          onChange={(event) => set({ host: event.currentTarget.value })}
          error={problem('host')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          description={
            <Text span inherit style={{ overflowWrap: 'anywhere' }}>
              {fullName(zone, host)}
            </Text>
          }
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: hasPriority(type) ? 3 : 5 }}>
        <Ttl ttl={draft.ttl} onChange={(ttl) => set({ ttl })} problem={problem('ttl')} />
      </Grid.Col>
      {hasPriority(type) && (
        <Grid.Col span={{ base: 12, sm: 2 }}>
          <NumberInput
            label="Priority"
            placeholder="10"
            hideControls
            allowDecimal={false}
            clampBehavior="none"
            value={priority}
            onChange={(value) => set({ priority: typeof value === 'number' ? value : '' })}
            error={problem('priority')}
          />
        </Grid.Col>
      )}
      <Value type={type} parts={parts} onChange={(changed) => set({ parts: changed })} problem={problem('value')} />
    </Grid>
  )
}

interface TtlProps {
  readonly ttl: number
  readonly onChange: (ttl: number) => void
  readonly problem: string | undefined
}

const ttlLimits = fieldOf(recordCreate, 'ttl')
const offered = ttlPresets(ttlLimits)

/** A preset, or any number of seconds. */
function Ttl({ ttl, onChange, problem }: TtlProps) {
  const [isOwn, setOwn] = useState(!offered.some(([seconds]) => seconds === ttl))
  const choose = (value: string) => {
    setOwn(value === '')
    if (value !== '') onChange(Number(value))
  }
  return (
    <Input.Wrapper label="TTL" labelElement="div" error={problem}>
      <NativeSelect
        aria-label="TTL"
        value={isOwn ? '' : String(ttl)}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          ...offered.map(([seconds, label]) => ({ value: String(seconds), label })),
          { value: '', label: 'Other' },
        ]}
      />
      {isOwn && (
        <NumberInput
          mt={4}
          aria-label="TTL in seconds"
          suffix=" s"
          hideControls
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="none"
          description={ttlLimits.description}
          value={ttl}
          onChange={(value) => onChange(typeof value === 'number' ? value : 0)}
        />
      )}
    </Input.Wrapper>
  )
}

interface ValueProps {
  readonly type: RecordType
  readonly parts: ValueParts
  readonly onChange: (parts: ValueParts) => void
  readonly problem: string | undefined
}

/** Label, example and meaning of the main input of each type. */
const values: Readonly<Record<RecordType, readonly [label: string, example: string, hint: string]>> = {
  A: ['IPv4 address', '192.0.2.1', 'The address of your server.'],
  AAAA: ['IPv6 address', '2001:db8::1', 'The address of your server.'],
  CNAME: ['Target', 'www.example.net', 'The name that this host is an alias of. No other record can share the host.'],
  MX: [
    'Mail server',
    'mail.example.net',
    'A host name. Mail goes first to the server with the lowest priority number.',
  ],
  TXT: ['Text', 'v=spf1 -all', 'Line breaks are removed. A long text is split as DNS needs it.'],
  NS: ['Nameserver', 'ns1.example.net', 'The nameserver that answers for this host.'],
  SRV: ['Target', 'sip.example.net', 'The host name of the service; a dot if there is no such service.'],
  CAA: ['Value', 'letsencrypt.org', 'The authority that may issue certificates; for iodef, where to report.'],
  PTR: ['Host name', 'mail.example.net', 'The host name of the IP address.'],
  SPF: ['Text', 'v=spf1 -all', 'Outdated: mail servers read the TXT record.'],
}

function Value({ type, parts, onChange, problem }: ValueProps) {
  const [label, placeholder, description] = values[type]
  const set = (changes: Partial<ValueParts>) => onChange({ ...parts, ...changes })
  const main = {
    label,
    placeholder,
    description,
    value: parts.value,
    onChange: (event: { currentTarget: { value: string } }) => set({ value: event.currentTarget.value }),
    required: true,
    withAsterisk: false,
    spellCheck: false,
    autoCapitalize: 'none',
    autoComplete: 'off',
    maxLength: fieldOf(recordCreate, 'value').maxLength,
    inputWrapperOrder: ['label', 'input', 'error', 'description'] as ('label' | 'input' | 'error' | 'description')[],
    error: problem,
  }
  const hasMore = type === 'SRV' || type === 'CAA'
  return (
    <>
      {type === 'SRV' && (
        <>
          <NumericPart label="Weight" value={parts.weight} onChange={(weight) => set({ weight })} />
          <NumericPart label="Port" value={parts.port} placeholder="5060" onChange={(port) => set({ port })} />
        </>
      )}
      {type === 'CAA' && (
        <>
          <NumericPart label="Flags" value={parts.flags} onChange={(flags) => set({ flags })} />
          <Grid.Col span={{ base: 8, sm: 3 }}>
            <Autocomplete
              label="Tag"
              data={['issue', 'issuewild', 'issuemail', 'iodef']}
              value={parts.tag}
              onChange={(tag) => set({ tag })}
              comboboxProps={{ withinPortal: true }}
            />
          </Grid.Col>
        </>
      )}
      <Grid.Col span={{ base: 12, sm: !hasMore ? 12 : type === 'CAA' ? 7 : 8 }}>
        {type === 'TXT' || type === 'SPF' ? (
          <Textarea {...main} autosize minRows={2} maxRows={10} ff="monospace" />
        ) : (
          <TextInput {...main} />
        )}
      </Grid.Col>
    </>
  )
}

interface NumericPartProps {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly onChange: (value: string) => void
}

function NumericPart({ label, value, placeholder, onChange }: NumericPartProps) {
  return (
    <Grid.Col span={{ base: 4, sm: 2 }}>
      <TextInput
        label={label}
        inputMode="numeric"
        autoComplete="off"
        required
        withAsterisk={false}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Grid.Col>
  )
}
