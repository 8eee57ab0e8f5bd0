// The walk that every SDK client takes through Patchbay: list, call, follow progress, cancel, fail,
// close. The scripts beside this file differ only in the client and how it connects.
//
// Prints one `ok` line per step; the first step that fails ends the script with exit code 1.
import assert from 'node:assert/strict';

const STEP_MS = 20_000;

export const clientInfo = { name: 'patchbay-test-peer', version: '1.0.0' };

const unicode = 'naïve 日本語 😀 \u2028 "quoted" \\ \t\n end';
const slow = 'everything__trigger-long-running-operation';

export const textOf = (result) => result.content.map((part) => part.text).join('');

async function step(name, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${STEP_MS} ms`)), STEP_MS);
  });
  try {
    await Promise.race([work(), late]);
  } catch (error) {
    error.message = `${name}: ${error.message}`;
    throw error;
  } finally {
    clearTimeout(timer);
  }
  console.log(`ok ${name}`);
}

// Makes a call of so many steps and checks that each is notified, in order, and to no other client. The last
// may be missing: the SDKs forget a call when its result arrives, and drop a progress message that
// they read together with it.
async function followProgress(call, steps) {
  const seen = [];
  const onprogress = ({ progress, total }) => seen.push(`${progress}/${total}`);
  const result = await call(slow, { duration: 0.4, steps }, { onprogress });
  assert.match(textOf(result), /completed/);
  const expected = Array.from({ length: steps }, (_, i) => `${i + 1}/${steps}`);
  assert.ok(seen.length >= steps - 1, `only ${seen} arrived`);
  assert.deepEqual(seen, expected.slice(0, seen.length));
}

// Takes `client` through everything. `call(name, arguments, options)` calls a tool; `protocol`
// is 'session' or 'stateless'; `title` names this round in the output.
export async function walk({ title, protocol, client, connect, call }) {
  await step(`${title}: connect`, connect);

  await step(`${title}: server info`, async () => {
    assert.equal(client.getServerVersion()?.name, 'patchbay');
    assert.ok(client.getServerCapabilities()?.tools);
  });

  await step(`${title}: list tools`, async () => {
    const { tools } = await client.listTools();
    const names = new Set(tools.map((tool) => tool.name));
    for (const name of ['skills__calculate', 'skills__echo', 'files__read_text_file', slow]) {
      assert.ok(names.has(name), `${name} is not listed`);
    }
    assert.equal(names.size, tools.length, 'a name is listed twice');
    assert.ok(tools.every((tool) => tool.inputSchema?.type === 'object'));
  });

  await step(`${title}: calculate`, async () => {
    const result = await call('skills__calculate', { expression: '2 * (3 + 4) ^ 2' });
    assert.match(textOf(result), /\b98\b/);
    assert.ok(!result.isError);
  });

  await step(`${title}: a tool that fails says so in its result`, async () => {
    const result = await call('skills__calculate', { expression: '2 * (3' });
    assert.equal(result.isError, true);
  });

  await step(`${title}: echo of any text`, async () => {
    assert.equal(textOf(await call('skills__echo', { text: unicode })), unicode);
  });

  await step(`${title}: a large text`, async () => {
    const large = 'äx'.repeat(300_000);
    assert.equal(textOf(await call('skills__echo', { text: large })), large);
  });

  await step(`${title}: many calls at once`, async () => {
    const texts = Array.from({ length: 40 }, (_, i) => `message ${i}`);
    const answers = await Promise.all(
      texts.map((message) => call('everything__echo', { message })),
    );
    assert.deepEqual(answers.map(textOf), texts.map((text) => `Echo: ${text}`));
  });

  await step(`${title}: progress of a child`, async () => {
    await followProgress(call, 4);
  });

  await step(`${title}: two calls keep their progress apart`, async () => {
    await Promise.all([followProgress(call, 2), followProgress(call, 3)]);
  });

  await step(`${title}: cancel a call`, async () => {
    const abort = new AbortController();
    const started = Date.now();
    const onprogress = () => abort.abort(new Error('no longer wanted'));
    await assert.rejects(call(slow, { duration: 10, steps: 50 }, { onprogress, signal: abort.signal }));
    assert.ok(Date.now() - started < 5_000, 'the call was not cut short');
    assert.equal(textOf(await call('everything__echo', { message: 'still here' })), 'Echo: still here');
  });

  await step(`${title}: an unknown tool is an error`, async () => {
    await assert.rejects(call('skills__no_such_tool', {}), (error) => {
      assert.equal(error.code, -32602, `code ${error.code}: ${error.message}`);
      return true;
    });
    await assert.rejects(call('nowhere__echo', {}));
  });

  if (protocol === 'session') await step(`${title}: ping`, () => client.ping());

  await step(`${title}: close`, () => client.close());
}

// Runs a script's main function; whatever it throws is printed and makes exit code 1.
export async function run(main) {
  try {
    await main(process.argv.slice(2));
    process.exit(0);
  } catch (error) {
    console.log(`FAIL ${error.stack ?? error}`);
    process.exit(1);
  }
}
