/** What an e-mail says. The texts may contain input of strangers: they are escaped, and nothing in them becomes a link. */
export interface MailContent {
  /** Also the subject. One line; longer ones are cut. */
  readonly title: string
  readonly paragraphs: readonly string[]
  /** Names and values, such as the fields of a submission. */
  readonly facts?: readonly (readonly [name: string, value: string])[]
  readonly action?: { readonly label: string; readonly url: string }
  /** Small text at the end, such as why the message was sent. */
  readonly footer?: readonly string[]
  /** Switches off messages of this kind. */
  readonly unsubscribeUrl?: string | undefined
}

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** RFC 5322 recommends lines of at most 78 characters; phones show about 60 of a subject. */
const titleMaxLength = 120

/** Of one paragraph or value. The outbox limits the whole. */
const textMaxLength = 4_000

/** Writes an e-mail as plain text and as HTML: one column, colors for light and dark, no images, and nothing that is loaded. */
export function renderMail(content: MailContent): RenderedMail {
  const { title, action } = content
  const label = action && { action: { ...action, label: oneLine(action.label, titleMaxLength) } }
  const shown = { ...content, ...label, title: oneLine(title, titleMaxLength) }
  return { subject: shown.title, text: textOf(shown), html: htmlOf(shown) }
}

const oneLine = (text: string, max: number): string => {
  const line = text.replaceAll(/[\p{C}\s\u2028\u2029]+/gu, ' ').trim()
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line
}

/** Without controls, which terminals and some programs interpret; line breaks stay. */
const visible = (text: string): string => {
  const clean = text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll(/[^\P{C}\n]/gu, ' ')
  return clean.length > textMaxLength ? `${clean.slice(0, textMaxLength).toWellFormed()}…` : clean
}

function textOf({ title, paragraphs, facts = [], action, footer = [], unsubscribeUrl }: MailContent): string {
  const parts = [
    title,
    ...paragraphs.map(visible),
    facts.map(([name, value]) => `${oneLine(name, titleMaxLength)}: ${visible(value)}`).join('\n'),
    action === undefined ? '' : `${action.label}:\n${action.url}`,
    footer.length + (unsubscribeUrl === undefined ? 0 : 1) === 0 ? '' : '--',
    ...footer.map(visible),
    unsubscribeUrl === undefined ? '' : `No more e-mails of this kind:\n${unsubscribeUrl}`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

const lines = (text: string): string => escaped(visible(text)).replaceAll('\n', '<br>')

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Programs that ignore the style sheet show the light colors, which are inline. */
const style = `:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){.page{background:#141517!important}.card{background:#1f2023!important;border-color:#373a40!important}
.ink{color:#e9ecef!important}.dim{color:#a6a7ab!important}.rule{border-color:#373a40!important}
.act{background:#74a9ff!important;color:#0b1b33!important}.lnk{color:#8ab8ff!important}}`

function htmlOf({ title, paragraphs, facts = [], action, footer = [], unsubscribeUrl }: MailContent): string {
  const body = [
    `<h1 class="ink" style="margin:0 0 16px;font-size:20px;line-height:1.3;color:#1a1b1e">${escaped(title)}</h1>`,
    ...paragraphs.map((text) => `<p class="ink" style="margin:0 0 16px;color:#1a1b1e">${lines(text)}</p>`),
    ...(facts.length === 0 ? [] : [factsOf(facts)]),
    ...(action === undefined ? [] : [actionOf(action)]),
  ]
  const small = [
    ...footer.map(lines),
    ...(unsubscribeUrl === undefined
      ? []
      : [`<a class="lnk" style="color:#1864ab" href="${escaped(unsubscribeUrl)}">Switch off e-mails of this kind</a>`]),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f1f3f5">
<div class="page" style="background:#f1f3f5;padding:16px 8px">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px 20px;background:#fff;border:1px solid #dee2e6;border-radius:8px;${font};font-size:16px;line-height:1.5;overflow-wrap:anywhere">
${body.join('\n')}
</div>
<div class="dim" style="max-width:560px;margin:0 auto;padding:12px 20px;${font};font-size:13px;line-height:1.5;color:#5c5f66;overflow-wrap:anywhere">
${small.map((text) => `<p style="margin:0 0 8px">${text}</p>`).join('\n')}
</div>
</div>
</body>
</html>
`
}

const factsOf = (facts: readonly (readonly [string, string])[]): string =>
  facts
    .map(
      ([name, value]) =>
        `<div class="rule" style="margin:0 0 8px;padding:0 0 8px;border-bottom:1px solid #e9ecef"><div class="dim" style="font-size:13px;color:#5c5f66">${escaped(oneLine(name, titleMaxLength))}</div><div class="ink" style="color:#1a1b1e">${lines(value)}</div></div>`,
    )
    .join('\n')

/** The address is shown too: a reader may want to see where it leads, or to copy it. */
const actionOf = ({ label, url }: { readonly label: string; readonly url: string }): string =>
  `<p style="margin:24px 0 16px"><a class="act" style="display:inline-block;padding:12px 20px;background:#1864ab;color:#fff;border-radius:6px;text-decoration:none;font-weight:600" href="${escaped(url)}">${escaped(label)}</a></p>
<p class="dim" style="margin:0;font-size:13px;color:#5c5f66">${escaped(url)}</p>`
