import fastifyStatic from '@fastify/static'
import fastify from 'fastify'

/** Serves the files of a folder with @fastify/static, for comparison. Prints its URL. */
const [root = ''] = process.argv.slice(2)
const app = fastify()
await app.register(fastifyStatic, { root })
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
