/** The page for browsers that name no other. It is the same for all forms: nothing of a submission is in it. */
export const thankYouPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Thank you</title>
<style>
:root { color-scheme: light dark }
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1rem; text-align: center }
</style>
<h1>Thank you</h1>
<p>The form has been sent.</p>
</html>
`
