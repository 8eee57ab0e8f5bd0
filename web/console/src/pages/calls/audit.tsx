// Records of the audit database: calls of earlier runs too.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf, RequestError } from '../../api/http';
import { duration } from '../../logic/format';
import { Card, Dot, Empty, Pending, When } from '../../parts/basics';
import { href, route } from '../../state/router';
import { text } from '../../text';
import { FilterRow } from './calls';

const words = text.calls;
const PAGE = '100';
const TYPING_MS = 300;

function Row({ record }: { record: control.AuditRecord }): JSX.Element {
  const failed = record.outcome !== 'ok';
  const name = record.target ?? record.method ?? record.event ?? text.none;
  return (
    <tr>
      <td class="nowrap">
        <When at={record.when} />
      </td>
      <td>
        <span class="row nowrap">
          <Dot tone={failed ? 'bad' : 'ok'} />
          {record.outcome}
        </span>
      </td>
      <td>
        {record.trace ? (
          <a class="clip" href={href('calls', { of: record.trace })}>
            {name}
          </a>
        ) : (
          <span class="clip">{name}</span>
        )}
      </td>
      <td class="wide">
        <span class="clip">{record.upstream ?? record.event ?? text.none}</span>
      </td>
      <td class="wide">
        <span class="clip">{record.name ?? record.who ?? text.none}</span>
      </td>
      <td class="number">{duration(record.ms)}</td>
    </tr>
  );
}

function Table({ records }: { records: control.AuditRecord[] }): JSX.Element {
  return (
    <div class="table-wrap">
      <table class="calls">
        <caption class="hidden-text">{words.auditTable}</caption>
        <thead>
          <tr>
            <th scope="col">{words.columns.when}</th>
            <th scope="col">{words.columns.outcome}</th>
            <th scope="col">{words.columns.tool}</th>
            <th scope="col" class="wide">
              {words.columns.upstream}
            </th>
            <th scope="col" class="wide">
              {words.columns.caller}
            </th>
            <th scope="col" class="number">
              {words.columns.took}
            </th>
          </tr>
        </thead>
        <tbody>
          {records.map((record, i) => (
            <Row key={`${record.when} ${i}`} record={record} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the address selects. */
function filterKey(): string {
  const { query } = route.value;
  const filters = new URLSearchParams();
  for (const name of ['caller', 'upstream', 'outcome', 'trace']) {
    const value = query.get(name);
    if (value) filters.set(name, value);
  }
  const tool = query.get('tool');
  if (tool) filters.set('name', tool);
  return filters.toString();
}

export function Audit(): JSX.Element {
  const [records, setRecords] = useState<control.AuditRecord[]>();
  const [next, setNext] = useState<string>();
  const [error, setError] = useState<{ status: number; message: string }>();
  const key = filterKey();
  const read = async (before?: string): Promise<void> => {
    const page = new URLSearchParams(key);
    page.set('limit', PAGE);
    if (before) page.set('before', before);
    try {
      const answer = await control.audit(page);
      setRecords((old) => (before ? [...(old ?? []), ...answer.records] : answer.records));
      setNext(answer.next);
      setError(undefined);
    } catch (failure) {
      setError({ status: failure instanceof RequestError ? failure.status : 0, message: messageOf(failure) });
    }
  };
  // The key stands for the filters.
  useEffect(() => {
    const timer = setTimeout(() => read(), TYPING_MS);
    return () => clearTimeout(timer);
  }, [key]);
  if (error?.status === 404) {
    return (
      <Card flush>
        <Empty title={words.noAudit} hint={words.noAuditHint} />
      </Card>
    );
  }
  return (
    <>
      <FilterRow names={['tool', 'upstream', 'caller', 'outcome', 'trace']} />
      <Card flush title={words.history}>
        {!records ? (
          <div class="body">
            <Pending error={error?.message} />
          </div>
        ) : records.length === 0 ? (
          <Empty title={words.noRecords} hint={words.noRecordsHint} />
        ) : (
          <Table records={records} />
        )}
        {next && (
          <p class="foot">
            <button type="button" class="button" onClick={() => read(next)}>
              {text.more}
            </button>
          </p>
        )}
      </Card>
    </>
  );
}
