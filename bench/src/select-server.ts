import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/** The baseline for reads on PostgreSQL: node:http and one prepared select by key. Argument: the URL of svc's database. */

const connections = 8

const pool = new pg.Pool({ connectionString: process.argv[2], max: connections })
const select = {
  name: 'account',
  text: 'select id, email, nickname, created_at from account where id = $1',
  values: [1],
}

const server = createServer((_request, response) => {
  void pool.query(select).then(({ rows }) => {
    const body = JSON.stringify(rows[0])
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`)
})
