// The lag of consumer groups, one row for each topic and group.
import type { LagLine } from '../api/control';

export interface LagRow {
  topic: string;
  agent: string;
  /** null: no group is known to read the topic. */
  group: string | null;
  state: string | null;
  /** null: it cannot be known for all partitions. */
  lag: number | null;
  partitions: LagLine[];
}

export function lagRows(lines: readonly LagLine[]): LagRow[] {
  const rows = new Map<string, LagRow>();
  for (const line of lines) {
    const key = JSON.stringify([line.topic, line.group]);
    const row = rows.get(key);
    if (row) {
      row.partitions.push(line);
      row.lag = row.lag === null || line.lag === null ? null : row.lag + line.lag;
    } else {
      const { topic, agent, group, state, lag } = line;
      rows.set(key, { topic, agent, group, state, lag, partitions: [line] });
    }
  }
  return [...rows.values()];
}
