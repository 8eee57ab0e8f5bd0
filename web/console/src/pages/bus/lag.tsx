// What the consumer groups of agents have not read yet.
import type { JSX } from 'preact';
import * as control from '../../api/control';
import { compact, cut } from '../../logic/format';
import { type LagRow, lagRows } from '../../logic/lag';
import { Card, Notice, Pending } from '../../parts/basics';
import { Table } from '../../parts/table';
import { usePolled } from '../../state/poll';
import { text } from '../../text';

const words = text.bus.lag;
const EVERY_MS = 10_000;
const MOST_ROWS = 500;

const known = (value: number | null): string => (value === null ? words.unknown : compact(value));

function Partitions({ row }: { row: LagRow }): JSX.Element {
  return (
    <details>
      <summary>{words.partitions(row.partitions.length)}</summary>
      <ul class="brief small">
        {row.partitions.slice(0, 100).map((one) => (
          <li key={one.partition}>
            {words.partition(one.partition, known(one.committed), known(one.end), known(one.lag))}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function Lag({ bus }: { bus: string }): JSX.Element {
  const { data, error } = usePolled(() => control.busLag(bus), EVERY_MS, bus);
  const rows = lagRows(data?.lag ?? []);
  const { columns } = words;
  if (!data || rows.length === 0) {
    return (
      <Card title={words.title}>{data ? <p class="muted">{words.none}</p> : <Pending error={error} />}</Card>
    );
  }
  return (
    <Card title={words.title} flush>
      <Table
        caption={words.title}
        columns={[columns.agent, columns.group, [columns.lag, 'number'], [columns.partitions, 'wide']]}
      >
        {rows.slice(0, MOST_ROWS).map((row) => (
          <tr key={`${row.topic} ${row.group ?? ''}`}>
            <td class="foreign lines">
              {cut(row.agent, 200)}
              <span class="small muted lines foreign mono">{cut(row.topic, 250)}</span>
            </td>
            <td class="foreign lines">
              {row.group === null ? <span class="muted">{words.noGroup}</span> : cut(row.group, 200)}
              {row.state && <span class="small muted lines foreign">{cut(row.state, 60)}</span>}
            </td>
            <td class="number">{known(row.lag)}</td>
            <td class="wide">
              <Partitions row={row} />
            </td>
          </tr>
        ))}
      </Table>
      <div class="note stack tight small muted">
        {!data.groups_listed && <p class="foreign">{words.notListed(cut(data.detail ?? '', 300))}</p>}
        {!data.complete && <Notice tone="warn">{words.incomplete}</Notice>}
      </div>
    </Card>
  );
}
