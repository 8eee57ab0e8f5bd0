// One request of the playground: what it sends, what arrives meanwhile, and how it ends.
import { signal } from '@preact/signals';
import { messageOf } from '../api/http';
import {
  type JsonObject,
  McpClient,
  type Question,
  type RequestOptions,
  type Revision,
  RpcError,
  randomHex,
} from '../api/mcp';

export interface Progress {
  progress: number;
  total: number | undefined;
  message: string;
}

export interface Run {
  phase: 'idle' | 'running' | 'done';
  /** What was asked for, for the title of the result. */
  name: string;
  started: number;
  took: number;
  progress: Progress | undefined;
  /** Log messages, the latest last. */
  events: string[];
  result: JsonObject | undefined;
  error: { message: string; code: number | undefined } | undefined;
  cancelled: boolean;
  traceId: string;
}

export interface Asked {
  question: Question;
  answer: (answer: JsonObject) => void;
  refuse: () => void;
}

const IDLE: Run = {
  phase: 'idle',
  name: '',
  started: 0,
  took: 0,
  progress: undefined,
  events: [],
  result: undefined,
  error: undefined,
  cancelled: false,
  traceId: '',
};
const MOST_EVENTS = 200;
const LONGEST_EVENT = 2000;

export const run = signal<Run>(IDLE);
export const questions = signal<Asked[]>([]);

let client: McpClient | undefined;
let stopper: AbortController | undefined;
let count = 0;

/** One client for each revision; a session of an earlier one is closed. */
export function clientOf(revision: Revision): McpClient {
  if (client?.revision !== revision) {
    client?.close();
    client = new McpClient(revision);
  }
  return client;
}

addEventListener('pagehide', () => client?.close());

function change(changes: Partial<Run>): void {
  run.value = { ...run.value, ...changes };
}

function notified(method: string, params: JsonObject): void {
  if (method === 'notifications/progress') {
    const { progress, total, message } = params;
    change({
      progress: {
        progress: Number(progress) || 0,
        total: typeof total === 'number' ? total : undefined,
        message: typeof message === 'string' ? message : '',
      },
    });
  }
  if (method !== 'notifications/message') return;
  const data = typeof params.data === 'string' ? params.data : JSON.stringify(params.data);
  const event = `${String(params.level ?? '')} ${data ?? ''}`.trim().slice(0, LONGEST_EVENT);
  change({ events: [...run.value.events, event].slice(-MOST_EVENTS) });
}

function ask(question: Question, stop: AbortSignal): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const asked: Asked = {
      question,
      answer: (answer) => finish(() => resolve(answer)),
      refuse: () => finish(() => reject(new Error('the person at the console has declined'))),
    };
    const finish = (end: () => void): void => {
      questions.value = questions.value.filter((one) => one !== asked);
      end();
    };
    stop.addEventListener('abort', () => finish(() => reject(new Error('cancelled'))), { once: true });
    questions.value = [...questions.value, asked];
  });
}

export async function start(
  revision: Revision,
  name: string,
  method: string,
  params: JsonObject,
  more: RequestOptions = {},
): Promise<void> {
  stopper?.abort();
  const stop = new AbortController();
  stopper = stop;
  const traceId = randomHex(16);
  run.value = { ...IDLE, phase: 'running', name, traceId, started: performance.now() };
  const mine = (changes: Partial<Run>): void => {
    if (stopper === stop) change({ ...changes, phase: 'done', took: performance.now() - run.value.started });
  };
  try {
    const result = await clientOf(revision).request(method, params, {
      ...more,
      signal: stop.signal,
      traceId,
      progressToken: `console-${++count}`,
      onNotification: (event, about) => stopper === stop && notified(event, about),
      onQuestion: (question) => ask(question, stop.signal),
    });
    mine({ result });
  } catch (error) {
    const code = error instanceof RpcError ? error.code : undefined;
    mine(stop.signal.aborted ? { cancelled: true } : { error: { message: messageOf(error), code } });
  }
}

export function cancel(): void {
  stopper?.abort();
}

/** Another tool was chosen: the result of the last one is of no interest. */
export function reset(): void {
  cancel();
  stopper = undefined;
  run.value = IDLE;
}
