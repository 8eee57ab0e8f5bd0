// The content of a result: text, pictures, sounds, links and embedded resources, never as markup.
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Json, JsonObject } from '../../api/mcp';
import { audioUrl, bytesOf, fileName, imageUrl } from '../../logic/content';
import { bytes, cut, pretty } from '../../logic/format';
import { isObject, ownText } from '../../logic/schema';
import { Badge, Code } from '../../parts/basics';
import { href } from '../../state/router';
import { text } from '../../text';

const words = text.playground;
const MOST_PARTS = 200;

function Download({ data, type, name }: { data: string; type: string; name: string }): JSX.Element | null {
  const url = useMemo(() => {
    const found = bytesOf(data);
    return found && URL.createObjectURL(new Blob([found], { type: 'application/octet-stream' }));
  }, [data]);
  useEffect(() => () => (url ? URL.revokeObjectURL(url) : undefined), [url]);
  const size = bytes(Math.floor((data.length * 3) / 4));
  return (
    <p class="row">
      <span class="foreign">{words.blob(cut(type, 80), size)}</span>
      {url && (
        <a class="button" href={url} download={name}>
          {words.download}
        </a>
      )}
    </p>
  );
}

function Image({ part }: { part: JsonObject }): JSX.Element {
  const type = ownText(part.mimeType);
  const data = ownText(part.data);
  const url = imageUrl(type, data);
  return (
    <figure class="stack tight">
      {url && <img class="picture" src={url} alt={words.image(cut(type, 80))} />}
      <Download data={data} type={type} name="image" />
    </figure>
  );
}

function Audio({ part }: { part: JsonObject }): JSX.Element {
  const type = ownText(part.mimeType);
  const data = ownText(part.data);
  const url = audioUrl(type, data);
  return (
    <figure class="stack tight">
      {/* biome-ignore lint/a11y/useMediaCaption: a sound of a tool has no captions. */}
      {url && <audio controls src={url} aria-label={words.audio(cut(type, 80))} />}
      <Download data={data} type={type} name="audio" />
    </figure>
  );
}

function Link({ part }: { part: JsonObject }): JSX.Element {
  const uri = ownText(part.uri);
  return (
    <div class="row link-part">
      <div class="grow">
        <b class="foreign">{cut(ownText(part.title) || ownText(part.name), 200)}</b>
        <code class="foreign block muted">{cut(uri, 400)}</code>
      </div>
      <a class="button" href={href('playground', { kind: 'resource', id: uri })}>
        {words.readLink}
      </a>
    </div>
  );
}

export function Resource({ resource }: { resource: JsonObject }): JSX.Element {
  const uri = ownText(resource.uri);
  const type = ownText(resource.mimeType);
  const blob = ownText(resource.blob);
  const picture = blob ? imageUrl(type, blob) : undefined;
  return (
    <div class="stack tight">
      <p class="row small">
        <code class="foreign">{cut(uri, 400)}</code>
        {type && <Badge>{cut(type, 80)}</Badge>}
      </p>
      {picture && <img class="picture" src={picture} alt={words.image(cut(type, 80))} />}
      {blob ? (
        <Download data={blob} type={type} name={fileName(uri)} />
      ) : (
        <Code value={ownText(resource.text)} label={cut(uri, 200)} />
      )}
    </div>
  );
}

export function ContentPart({ part }: { part: JsonObject }): JSX.Element {
  switch (part.type) {
    case 'text':
      return <Code value={ownText(part.text)} label={words.content} />;
    case 'image':
      return <Image part={part} />;
    case 'audio':
      return <Audio part={part} />;
    case 'resource_link':
      return <Link part={part} />;
    case 'resource':
      return <Resource resource={isObject(part.resource) ? part.resource : {}} />;
    default:
      return (
        <div class="stack tight">
          <p class="small muted">{words.unknownContent(cut(String(part.type), 80))}</p>
          <Code value={pretty(part)} label={words.content} />
        </div>
      );
  }
}

export function Content({ parts }: { parts: Json | undefined }): JSX.Element {
  const found = Array.isArray(parts) ? parts.filter(isObject) : isObject(parts) ? [parts] : [];
  if (found.length === 0) return <p class="muted">{words.noContent}</p>;
  return (
    <div class="stack">
      {found.slice(0, MOST_PARTS).map((part, i) => (
        <ContentPart key={String(i)} part={part} />
      ))}
      {found.length > MOST_PARTS && (
        <p class="muted">{text.overview.moreUpstreams(found.length - MOST_PARTS)}</p>
      )}
    </div>
  );
}
