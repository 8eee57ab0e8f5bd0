// Tries anything in the catalog: a form, the answer, and questions meanwhile.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { REVISIONS, type Revision, STATELESS_REVISION } from '../../api/mcp';
import { Card, Empty, PageHead, Tabs } from '../../parts/basics';
import { catalog } from '../../state/catalog';
import { route, setQuery } from '../../state/router';
import { questions, reset, run } from '../../state/run';
import { text } from '../../text';
import { chosenEntry, EntryList, kindOf } from '../catalog/entry_list';
import { Goals } from './goals';
import { PromptPanel, ResourcePanel, TemplatePanel } from './other_panels';
import { QuestionCard } from './question';
import { ToolPanel } from './tool_panel';

const words = text.playground;

function revisionOf(): Revision {
  return REVISIONS.find((revision) => revision === route.value.query.get('revision')) ?? STATELESS_REVISION;
}

function RevisionChoice({ revision }: { revision: Revision }): JSX.Element {
  return (
    <label class="row">
      <span class="muted small">{words.revision}</span>
      <select
        class="revision"
        value={revision}
        onChange={(event) => setQuery({ revision: event.currentTarget.value })}
      >
        {REVISIONS.map((name) => (
          <option key={name} value={name}>
            {name}, {words.revisionHint(name === STATELESS_REVISION)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Panel({ revision }: { revision: Revision }): JSX.Element {
  const entry = chosenEntry();
  const id = route.value.query.get('id');
  if (entry?.kind === 'tool') return <ToolPanel key={entry.id} entry={entry} revision={revision} />;
  if (entry?.kind === 'prompt') return <PromptPanel key={entry.id} entry={entry} revision={revision} />;
  if (entry?.kind === 'template') return <TemplatePanel key={entry.id} entry={entry} revision={revision} />;
  // A link of a result may name a resource that is in no list.
  if (id && kindOf() === 'resource')
    return <ResourcePanel key={id} uri={id} entry={entry} revision={revision} />;
  if (id && catalog.value.loading) return <p class="muted">{text.loading}</p>;
  return (
    <Card class="no-choice">
      <Empty title={words.pick} hint={words.pickHint} />
    </Card>
  );
}

export function Playground(): JSX.Element {
  const revision = revisionOf();
  const id = route.value.query.get('id');
  const kind = kindOf();
  useEffect(() => reset, [id, kind]);
  const goals = route.value.query.get('view') === 'goals';
  return (
    <>
      <PageHead title={text.pages.playground}>
        <div class="actions">
          {!goals && <RevisionChoice revision={revision} />}
          <Tabs
            label={words.viewsLabel}
            choices={[
              ['catalog', words.views.catalog],
              ['goals', words.views.goals],
            ]}
            value={goals ? 'goals' : 'catalog'}
            onChange={(view) => setQuery({ view: view === 'goals' ? view : undefined, id: undefined })}
          />
        </div>
      </PageHead>
      {goals ? <Goals /> : <Catalog revision={revision} />}
    </>
  );
}

function Catalog({ revision }: { revision: Revision }): JSX.Element {
  const asked = questions.value[0];
  return (
    <div class="browse">
      <EntryList page="playground" />
      <div class="stack">
        {asked && (
          <QuestionCard
            key={JSON.stringify(asked.question).slice(0, 200) + questions.value.length}
            question={asked.question}
            tool={run.value.name}
            onAnswer={asked.answer}
            onRefuse={asked.refuse}
          />
        )}
        <Panel revision={revision} />
      </div>
    </div>
  );
}
