// Server-sent events out of the body of an answer, as MCP sends them to a POST request.

export interface ServerEvent {
  event: string;
  data: string;
  id?: string;
}

/** Splits a text that comes in pieces into events. Bounded: an event larger than `most` is an error. */
export class EventParser {
  private rest = '';
  private data: string[] = [];
  private size = 0;
  private event = '';
  private id: string | undefined;

  constructor(private readonly most = 64 * 1024 * 1024) {}

  push(piece: string): ServerEvent[] {
    const done: ServerEvent[] = [];
    const text = this.rest + piece;
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n', start);
      if (end < 0) break;
      this.line(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end), done);
      start = end + 1;
    }
    this.rest = text.slice(start);
    if (this.rest.length + this.size > this.most) throw new Error('an event is too large');
    return done;
  }

  private line(line: string, done: ServerEvent[]): void {
    if (line === '') {
      this.dispatch(done);
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') {
      this.data.push(value);
      this.size += value.length;
    }
    if (field === 'event') this.event = value;
    if (field === 'id') this.id = value;
  }

  private dispatch(done: ServerEvent[]): void {
    if (this.data.length > 0) {
      const event: ServerEvent = { event: this.event || 'message', data: this.data.join('\n') };
      if (this.id !== undefined) event.id = this.id;
      done.push(event);
    }
    this.data = [];
    this.size = 0;
    this.event = '';
  }
}

export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
