// The health check of the container: ends with 0 if the server answers that it is ready.
const { ok } = await fetch(`http://127.0.0.1:${process.env.SVC_PORT ?? '8080'}/readyz`)
process.exitCode = ok ? 0 : 1
