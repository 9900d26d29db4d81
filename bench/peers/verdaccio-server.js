import { runServer } from 'verdaccio'

/** The peer for packages: verdaccio without uplinks. Its command line needs Node.js 22. Argument: its configuration. */

const server = await runServer(process.argv[2])
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
