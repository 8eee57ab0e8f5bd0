// What differs from the configuration and from what was accepted: tools that are switched off, and
// tools whose definitions have changed. For admins.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { cut, pretty } from '../../logic/format';
import { Badge, Card, Notice, Pending, When } from '../../parts/basics';
import { SideBySide } from '../../parts/side_by_side';
import { report } from '../../parts/toasts';
import { readCatalog } from '../../state/catalog';
import { usePolled } from '../../state/poll';
import { href } from '../../state/router';
import { text } from '../../text';

const words = text.catalog;
const EVERY_MS = 2000;
const MOST_OFF = 500;

/** Counts what was changed here, so that the list is read again at once. */
type Changed = () => void;

async function attempt(done: string, step: () => Promise<unknown>, changed: Changed): Promise<void> {
  try {
    await step();
    report('ok', done);
    changed();
    await readCatalog();
  } catch (error) {
    report('bad', text.failed(messageOf(error)));
  }
}

function OffTable({ tools, changed }: { tools: control.ToolOff[]; changed: Changed }): JSX.Element {
  return (
    <div class="table-wrap">
      <table class="middle">
        <caption class="hidden-text">{words.off.title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.off.tool}</th>
            <th scope="col" class="wide">
              {words.off.by}
            </th>
            <th scope="col" class="wide">
              {words.off.since}
            </th>
            <th scope="col" class="number">
              {words.off.action}
            </th>
          </tr>
        </thead>
        <tbody>
          {tools.slice(0, MOST_OFF).map(({ upstream, tool, by, since }) => {
            const name = `${upstream}.${tool}`;
            const on = (): Promise<unknown> => control.switchTool(upstream, tool, true);
            return (
              <tr key={name}>
                <td class="foreign mono lines">{cut(name, 300)}</td>
                <td class="foreign wide">{cut(by, 120)}</td>
                <td class="nowrap wide">
                  <When at={since} />
                </td>
                <td class="number">
                  <button
                    type="button"
                    class="button"
                    aria-label={words.switchOnOf(name)}
                    onClick={() => attempt(words.switched(name, true), on, changed)}
                  >
                    {words.switchOn}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function SwitchedOff(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const { data, error } = usePolled(control.toolsOff, EVERY_MS, String(changes));
  return (
    <Card title={words.off.title}>
      <div class="stack">
        {!data && <Pending error={error} />}
        {data && <p class="muted">{data.length > 0 ? words.off.hint : words.off.empty}</p>}
        {data && data.length > 0 && <OffTable tools={data} changed={() => setChanges(changes + 1)} />}
      </div>
    </Card>
  );
}

function Pin({ tool, changed }: { tool: control.ChangedTool; changed: Changed }): JSX.Element {
  const name = `${tool.upstream}.${tool.tool}`;
  return (
    <section class="stack" aria-label={name}>
      <div class="row">
        <h3 class="foreign mono">{cut(name, 300)}</h3>
        <Badge tone={tool.left_out ? 'bad' : 'warn'}>
          {tool.left_out ? words.pins.leftOut : words.pins.offered}
        </Badge>
        {tool.changed && (
          <span class="small muted">
            {words.pins.changed} <When at={tool.changed} />
          </span>
        )}
      </div>
      {tool.acceptable ? (
        <>
          <SideBySide
            label={words.pins.diffOf(cut(name, 120))}
            titles={[words.pins.before, words.pins.after]}
            before={pretty(tool.accepted)}
            after={pretty(tool.current)}
          />
          <p>
            <button
              type="button"
              class="button primary"
              onClick={() => attempt(words.pins.accepted(name), () => control.acceptTool(tool), changed)}
            >
              {words.pins.accept}
            </button>
          </p>
        </>
      ) : (
        <p>{words.pins.ambiguous}</p>
      )}
    </section>
  );
}

function Pins(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const { data, error } = usePolled(control.changedTools, EVERY_MS, String(changes));
  return (
    <Card title={words.pins.title}>
      <div class="stack">
        {!data && <Pending error={error} />}
        {data && <p class="muted">{data.count > 0 ? words.pins.hint : words.pins.empty}</p>}
        {data?.changed.map((tool) => (
          <Pin key={`${tool.upstream}.${tool.tool}`} tool={tool} changed={() => setChanges(changes + 1)} />
        ))}
        {data && data.count > data.changed.length && (
          <Notice>{words.pins.more(data.changed.length, data.count)}</Notice>
        )}
      </div>
    </Card>
  );
}

export function Changes(): JSX.Element {
  return (
    <div class="stack">
      <p>
        <a class="button" href={href('catalog')}>
          {words.toList}
        </a>
      </p>
      <SwitchedOff />
      <Pins />
    </div>
  );
}
