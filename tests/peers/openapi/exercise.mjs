// usage: node exercise.mjs BASE CALLS
// Calls every operation of the OpenAPI document at BASE with a client that knows nothing but the
// document. CALLS is JSON: by operationId a list of {parameters, body, accept, status}. What comes
// back must have the status and fit the schema that the document gives for it.
import assert from 'node:assert/strict'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import SwaggerClient from 'swagger-client'

const [base, callsText] = process.argv.slice(2)
const calls = JSON.parse(callsText)
const text = await (await fetch(`${base}/openapi.json`)).text()
const document = JSON.parse(text)
const client = await new SwaggerClient({ url: `${base}/openapi.json` })

const ajv = new Ajv({ strict: false })
addFormats(ajv)
ajv.addSchema(document, 'document')

const escaped = (part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

// The place of what a response of that status may be.
function responsePlace(path, method, status, type) {
  const responses = document.paths[path][method].responses
  const key = String(status) in responses ? String(status) : 'default'
  assert.ok(responses[key], `${method} ${path}: ${status} is not described`)
  let place = ['paths', path, method, 'responses', key]
  const reference = responses[key].$ref
  if (reference) place = reference.slice(2).split('/')
  const response = place.reduce((node, part) => node[part], document)
  const content = response.content?.[type]
  return content && [...place, 'content', type, 'schema']
}

async function execute(path, method, operationId, call) {
  const response = await client.execute({
    operationId,
    parameters: call.parameters ?? {},
    requestBody: call.body,
    responseContentType: call.accept ?? 'application/json',
    requestInterceptor: (request) => {
      if (call.body !== undefined) request.headers['Content-Type'] ??= 'application/json'
      return request
    },
  }).catch((error) => {
    if (!error.response) throw error
    return error.response
  })
  const said = `${operationId}: ${response.status} ${String(response.text).slice(0, 400)}`
  assert.equal(response.status, call.status ?? 200, said)
  const type = (response.headers['content-type'] ?? '').split(';')[0]
  const place = responsePlace(path, method, response.status, type)
  if (type !== 'application/json' || method === 'head') return
  assert.ok(place, `${operationId}: ${type} is not described for ${response.status}`)
  const validate = ajv.compile({ $ref: `document#/${place.map(escaped).join('/')}` })
  assert.ok(validate(JSON.parse(response.text)), `${said}\n${JSON.stringify(validate.errors)}`)
}

let count = 0
for (const [path, item] of Object.entries(document.paths)) {
  for (const [method, { operationId }] of Object.entries(item)) {
    if (method === 'parameters') continue
    assert.ok(calls[operationId], `${method} ${path} (${operationId}) has not been exercised`)
    for (const call of calls[operationId]) {
      await execute(path, method, operationId, call)
      count += 1
    }
    delete calls[operationId]
  }
}
assert.deepEqual(Object.keys(calls), [], 'the document has no such operations')
console.log(`${count} calls`)
