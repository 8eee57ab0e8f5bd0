// What the caller may use: the lists of MCP, with what the admin API knows about each.
import { signal } from '@preact/signals';
import { messageOf, pageIfThere } from '../api/http';
import { type JsonObject, McpClient, STATELESS_REVISION } from '../api/mcp';
import { pretty, tokens } from '../logic/format';
import { ownText } from '../logic/schema';

export type Kind = 'tool' | 'prompt' | 'resource' | 'template';

export interface Entry {
  kind: Kind;
  /** The name of a tool or prompt, the URI of a resource, the template of a template. */
  id: string;
  name: string;
  title: string;
  description: string;
  upstream: string;
  tokens: number;
  definition: JsonObject;
}

/** What the admin API knows about an entry. */
export interface Known {
  kind: Kind;
  name?: string;
  uri?: string;
  uriTemplate?: string;
  upstream?: string;
  upstream_name?: string;
  listed?: boolean;
  pin?: string | { state?: string };
  roles?: (string | { role: string; use: string })[];
}

export interface Catalog {
  entries: Entry[];
  loading: boolean;
  error: string | undefined;
}

export const catalog = signal<Catalog>({ entries: [], loading: false, error: undefined });

const LISTS: [Kind, string, string, string][] = [
  ['tool', 'tools/list', 'tools', 'name'],
  ['prompt', 'prompts/list', 'prompts', 'name'],
  ['resource', 'resources/list', 'resources', 'uri'],
  ['template', 'resources/templates/list', 'resourceTemplates', 'uriTemplate'],
];

function upstreamOf(id: string, kind: Kind): string {
  const mark = kind === 'tool' || kind === 'prompt' ? '__' : '+';
  const end = id.indexOf(mark);
  return end > 0 ? id.slice(0, end) : '';
}

function entryOf(kind: Kind, idMember: string, definition: JsonObject): Entry {
  const id = ownText(definition[idMember]);
  return {
    kind,
    id,
    name: ownText(definition.name) || id,
    title: ownText(definition.title),
    description: ownText(definition.description),
    upstream: upstreamOf(id, kind),
    tokens: tokens(JSON.stringify(definition)),
    definition,
  };
}

const idOf = (known: Known): string | undefined => known.uriTemplate ?? known.uri ?? known.name;

/** What the admin API adds to one entry, where it has it. */
export async function knownOf({ kind, id, upstream }: Entry): Promise<Known | undefined> {
  const query = new URLSearchParams({ kind, search: id.slice(0, 200), limit: '50' });
  if (upstream) query.set('upstream', upstream);
  const answer = await pageIfThere<{ items: Known[] }>(`control/v1/catalog?${query}`).catch(() => undefined);
  return answer?.items.find((item) => idOf(item) === id);
}

let running: Promise<void> | undefined;

async function read(): Promise<void> {
  catalog.value = { ...catalog.value, loading: true };
  const client = new McpClient(STATELESS_REVISION);
  try {
    const lists = await Promise.all(
      LISTS.map(async ([kind, method, member, id]) =>
        (await client.list(method, member)).map((definition) => entryOf(kind, id, definition)),
      ),
    );
    catalog.value = { entries: lists.flat(), loading: false, error: undefined };
  } catch (error) {
    catalog.value = { ...catalog.value, loading: false, error: messageOf(error) };
  }
}

/** Reads the lists, once at a time. */
export function readCatalog(): Promise<void> {
  running ??= read().finally(() => {
    running = undefined;
  });
  return running;
}

/** The text of a definition, for its size and its display. */
export const definitionText = (entry: Entry): string => pretty(entry.definition);
