// The call in the form, for other programs.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { urlOf } from '../../api/http';
import type { JsonObject } from '../../api/mcp';
import { commandLine, curl, python, type Snippet, typescript } from '../../logic/snippets';
import { Card, Code, Tabs } from '../../parts/basics';
import { needsToken } from '../../state/session';
import { text } from '../../text';

const words = text.playground;
const MAKERS = { curl, cli: commandLine, python, typescript } as const;
type Maker = keyof typeof MAKERS;
const NAMES = Object.keys(MAKERS) as Maker[];

export function CopyAs({ name, value }: { name: string; value: JsonObject }): JSX.Element {
  const [chosen, setChosen] = useState<Maker>('curl');
  const snippet: Snippet = { url: urlOf('mcp'), name, arguments: value, token: needsToken.value };
  return (
    <Card
      title={words.copyAs}
      actions={
        <Tabs
          label={words.copyAs}
          choices={NAMES.map((maker) => [maker, words.snippets[maker]] as const)}
          value={chosen}
          onChange={setChosen}
        />
      }
    >
      <Code value={MAKERS[chosen](snippet)} label={words.snippets[chosen]} />
    </Card>
  );
}
