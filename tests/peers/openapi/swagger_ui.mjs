// usage: node swagger_ui.mjs BASE CHROMIUM SCREENSHOT
// Opens Swagger UI in a browser that can reach nothing but BASE, tries a tool, with a token too, and
// sees the answer.
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'

const [base, executablePath, screenshot] = process.argv.slice(2)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } })
const elsewhere = []
const problems = []
const sent = []
await page.route('**/*', (route) => {
  const url = route.request().url()
  if (url.startsWith(`${base}/`) || url.startsWith('data:')) return route.continue()
  elsewhere.push(url)
  return route.abort()
})
page.on('request', (request) => sent.push(request))
page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
page.on('pageerror', (error) => problems.push(String(error)))

await page.goto(`${base}/swagger-ui/index.html`)
const operation = page.locator('.opblock', { hasText: '/api/skills.calculate' }).first()
await operation.waitFor()

await page.locator('button.authorize').first().click()
await page.locator('.auth-container input').fill('a-token')
await page.locator('.auth-btn-wrapper button.authorize').click()
await page.locator('.auth-btn-wrapper button.btn-done').click()

await operation.locator('.opblock-summary-control').click()
await operation.locator('textarea.body-param__text').fill('{"expression": "6 * 7"}')
await operation.locator('button.execute').click()
const answer = operation.locator('.live-responses-table .response').first()
await answer.waitFor()
const shown = await answer.innerText()
assert.match(shown, /200/)
assert.match(shown, /"text": "42"/)

const call = sent.find((request) => request.url() === `${base}/api/skills.calculate`)
assert.equal((await call.allHeaders()).authorization, 'Bearer a-token')
await page.screenshot({ path: screenshot })
await browser.close()
assert.deepEqual(elsewhere, [], 'the page wanted something from elsewhere')
assert.deepEqual(problems, [])
console.log('ok')
