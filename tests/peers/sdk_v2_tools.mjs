// What sdk_v2_server.mjs offers. Tools that ask return what they want to know; the SDK asks for it in
// the way of the client's revision.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  acceptedContent,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const states = createRequestStateCodec({ key: randomBytes(32) });

const text = (line) => ({ content: [{ type: 'text', text: line }] });
const content = (...blocks) => ({ content: blocks });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri, mimeType, body) => ({ type: 'resource', resource: { uri, mimeType, text: body } });
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const STRING = { type: 'string' };
const BOOLEAN = { type: 'boolean' };

const form = (message, properties, required) =>
  inputRequired.elicit({ message, requestedSchema: object(properties, required) });
const sample = (prompt) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  });

// Asks until every question is answered, then gives the answers to `done`. With `sealed`, answers
// count only together with the state that was given out; earlier rounds travel in it. `known` are
// answers of this round to earlier questions.
async function asking(ctx, questions, done, { sealed = false, known = {} } = {}) {
  const responses = ctx.mcpReq.inputResponses;
  const state = ctx.mcpReq.requestState();
  const answers = { ...state, ...known };
  for (const key of Object.keys(questions)) {
    const view = inputResponse(responses, key);
    if (view.kind !== 'missing' && (state || !sealed)) answers[key] = responses[key];
  }
  const missing = Object.entries(questions).filter(([key]) => !(key in answers));
  if (missing.length === 0) return done(answers);
  const inputRequests = Object.fromEntries(missing);
  return sealed
    ? inputRequired({ inputRequests, requestState: await states.mint(answers) })
    : inputRequired({ inputRequests });
}

const tools = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => content(image),
  test_audio_content: () => content({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    content(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: () =>
    content(
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  async test_tool_with_logging(_, ctx) {
    for (const what of ['started', 'processing data', 'completed']) {
      await ctx.mcpReq.log('info', `Tool execution ${what}`);
      await sleep(50);
    }
    return text('done');
  },
  async test_logging_tool(_, ctx) {
    await ctx.mcpReq.log('info', 'a message');
    return text('logged');
  },
  async test_tool_with_progress(_, ctx) {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params });
      await sleep(50);
    }
    return text('done');
  },
  async test_reconnection(_, ctx) {
    ctx.http?.closeSSE?.();
    await sleep(100);
    return text('Reconnection test completed');
  },
  test_sampling: ({ prompt }, ctx) =>
    asking(ctx, { prompt: sample(prompt) }, (answers) => text(`LLM response: ${answers.prompt.content.text}`)),
  test_elicitation: ({ message }, ctx) =>
    asking(ctx, { form: form(message, { username: STRING, email: STRING }) }, (answers) =>
      text(`User response: ${JSON.stringify(answers.form)}`)),
  test_elicitation_sep1034_defaults(_, ctx) {
    const fields = {
      name: { ...STRING, default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { ...STRING, enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { ...BOOLEAN, default: true },
    };
    return asking(ctx, { form: form('Please review', fields, []) }, (answers) =>
      text(`Elicitation completed: ${JSON.stringify(answers.form)}`));
  },
  test_elicitation_sep1330_enums(_, ctx) {
    const options = ['option1', 'option2', 'option3'];
    const titled = ['First', 'Second'].map((title, index) => ({ const: `value${index + 1}`, title }));
    const fields = {
      untitledSingle: { ...STRING, enum: options },
      titledSingle: { ...STRING, oneOf: titled },
      legacyEnum: { ...STRING, enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
      untitledMulti: { type: 'array', items: { ...STRING, enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    };
    return asking(ctx, { form: form('Please choose', fields, []) }, (answers) =>
      text(`Elicitation completed: ${JSON.stringify(answers.form)}`));
  },
  test_streaming_elicitation: (_, ctx) =>
    asking(ctx, { confirm: form('Go on?', { confirm: BOOLEAN }) }, () => text('confirmed')),
  test_missing_capability: (_, ctx) => asking(ctx, { question: sample('Are you there?') }, () => text('yes')),
  test_input_required_result_elicitation: (_, ctx) =>
    asking(ctx, { user_name: form('What is your name?', { name: STRING }) }, (answers) =>
      text(`Hello, ${acceptedContent(answers, 'user_name')?.name}!`)),
  test_input_required_result_sampling: (_, ctx) =>
    asking(ctx, { capital_question: sample('What is the capital of France?') }, (answers) =>
      text(answers.capital_question.content.text)),
  test_input_required_result_list_roots: (_, ctx) =>
    asking(ctx, { client_roots: inputRequired.listRoots() }, (answers) =>
      text(`Roots: ${answers.client_roots.roots.map((root) => root.uri)}`)),
  test_input_required_result_request_state: (_, ctx) => confirmed(ctx),
  test_input_required_result_tampered_state: (_, ctx) => confirmed(ctx),
  test_input_required_result_multiple_inputs: (_, ctx) =>
    asking(
      ctx,
      {
        user_name: form('What is your name?', { name: STRING }),
        greeting: sample('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      (answers) => text(`Answered: ${Object.keys(answers)}`),
      { sealed: true },
    ),
  test_input_required_result_multi_round: (_, ctx) =>
    asking(
      ctx,
      { step1: form('Step 1: What is your name?', { name: STRING }) },
      (known) =>
        asking(
          ctx,
          { step2: form('Step 2: What is your favorite color?', { color: STRING }) },
          (answers) => text(`Answered: ${Object.keys(answers)}`),
          { sealed: true, known },
        ),
      { sealed: true },
    ),
};

const confirmed = (ctx) =>
  asking(ctx, { confirm: form('Please confirm', { ok: BOOLEAN }) }, () => text('state-ok'), { sealed: true });

const schemas = {
  test_sampling: object({ prompt: STRING }),
  test_elicitation: object({ message: STRING }),
  test_x_mcp_header: object({ region: { ...STRING, 'x-mcp-header': 'Region' } }, []),
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', ...object({ street: STRING, city: STRING }, []) } },
    properties: { name: STRING, address: { $ref: '#/$defs/address' }, phone: STRING, email: STRING },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { name: { const: 'phone' } }, required: ['name'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

// How often each list has changed. One item of each says so, so that there is a change to be seen.
const changes = { tools: 0, prompts: 0 };
const about = (kind) => `Changed ${changes[kind]} times.`;

function registerTools(server, changed) {
  const echo = (args) => text(JSON.stringify(args));
  const all = {
    ...tools,
    test_x_mcp_header: echo,
    json_schema_2020_12_tool: echo,
    test_trigger_tool_change: () => (changed('tools'), text('changed')),
    test_trigger_prompt_change: () => (changed('prompts'), text('changed')),
    test_input_required_result_capabilities: (_, ctx) => {
      const declared = ctx.mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'];
      return askWhatItCan(ctx, declared ?? server.server.getClientCapabilities());
    },
  };
  for (const [name, run] of Object.entries(all)) {
    const inputSchema = fromJsonSchema(schemas[name] ?? object({}));
    server.registerTool(name, { description: `The tool ${name}.`, inputSchema }, run);
  }
  const inputSchema = fromJsonSchema(object({}));
  return server.registerTool('test_changing', { description: about('tools'), inputSchema }, echo);
}

function askWhatItCan(ctx, capabilities) {
  const questions = {};
  if (capabilities?.elicitation) questions.user_name = form('What is your name?', { name: STRING });
  if (capabilities?.sampling) questions.greeting = sample('Generate a greeting');
  return asking(ctx, questions, (answers) => text(`Answered: ${Object.keys(answers)}`));
}

function registerResources(server) {
  const read = (uri, more) => ({ contents: [{ uri: uri.href, ...more }] });
  const kind = (mimeType) => ({ description: 'A resource.', mimeType });
  server.registerResource('text', 'test://static-text', kind('text/plain'), (uri) =>
    read(uri, { mimeType: 'text/plain', text: 'This is the content of the static text resource.' }));
  server.registerResource('binary', 'test://static-binary', kind('image/png'), (uri) =>
    read(uri, { mimeType: 'image/png', blob: PNG }));
  server.registerResource('watched', 'test://watched-resource', kind('text/plain'), (uri) =>
    read(uri, { mimeType: 'text/plain', text: 'watched' }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, kind('application/json'), (uri, { id }) =>
    read(uri, { mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }));
  const known = (uri) => {
    if (!uri.startsWith('test://')) throw new ResourceNotFoundError(uri);
    return {};
  };
  server.server.setRequestHandler('resources/subscribe', ({ params }) => known(params.uri));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

const user = (block) => ({ role: 'user', content: block });
const words = (line) => user({ type: 'text', text: line });

function registerPrompts(server) {
  const prompt = (name, properties, run) =>
    server.registerPrompt(
      name,
      { description: `The prompt ${name}.`, argsSchema: properties && fromJsonSchema(object(properties)) },
      properties ? run : (ctx) => run({}, ctx),
    );
  prompt('test_simple_prompt', undefined, () => ({ messages: [words('This is a simple prompt for testing.')] }));
  prompt('test_prompt_with_arguments', { arg1: STRING, arg2: STRING }, ({ arg1, arg2 }) => ({
    messages: [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }));
  prompt('test_prompt_with_embedded_resource', { resourceUri: STRING }, ({ resourceUri }) => ({
    messages: [user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'))],
  }));
  prompt('test_prompt_with_image', undefined, () => ({ messages: [user(image), words('Please analyze it.')] }));
  prompt('test_input_required_result_prompt', undefined, (_, ctx) =>
    asking(ctx, { user_context: form('What context should the prompt use?', { context: STRING }) }, (answers) => ({
      messages: [words(`Use this: ${acceptedContent(answers, 'user_context')?.context}`)],
    })));
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park'], total: 2, hasMore: false },
  }));
  return server.registerPrompt('test_changing', { description: about('prompts') }, () => ({
    messages: [words(about('prompts'))],
  }));
}

export function countChange(kind) {
  changes[kind] += 1;
}

// A new server for each session, or each request without one. `changed(kind)` is called when a tool
// wants a list to change; `refresh(kind)` then makes it so in this server, and tells its client.
export function makeServer(changed) {
  const server = new McpServer(
    { name: 'sdk-v2-server', version: '1.0.0' },
    {
      capabilities: { logging: {}, completions: {}, resources: { subscribe: true, listChanged: true } },
      requestState: { verify: states.verify },
    },
  );
  registerResources(server);
  const changing = { tools: registerTools(server, changed), prompts: registerPrompts(server) };
  const refresh = (kind) => changing[kind].update({ description: about(kind) });
  return { server, refresh };
}
