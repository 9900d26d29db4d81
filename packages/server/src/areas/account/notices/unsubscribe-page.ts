/** Pages without input: the only text in them is that of a kind of e-mails. */
const pageOf = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark }
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1rem; text-align: center }
button { font: inherit; padding: .6rem 1.2rem; cursor: pointer }
</style>
<h1>${title}</h1>
${body}
</html>
`

/** @param what the kind, as in the table of kinds */
export const unsubscribePage = (what: string): string =>
  pageOf(
    'Switch off these e-mails?',
    `<p>You get e-mails about ${what}.</p>\n<form method="post"><button>Switch off</button></form>`,
  )

export const unsubscribedPage = (what: string): string =>
  pageOf('Switched off', `<p>You get no more e-mails about ${what}. Other e-mails are not affected.</p>`)
