import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** A block of server-sent events, with the fields that it has. */
export interface Block {
  readonly id: string;
  readonly event: string;
  readonly data: string;
  /** As it came. */
  readonly text: string;
}

function blockOf(text: string): Block {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  return { id: field('id'), event: field('event'), data: field('data'), text };
}

/** Reads a stream block by block, as they come. */
export class StreamReader {
  readonly #request: ClientRequest;
  readonly #blocks: Block[] = [];
  #rest = '';
  #isOver = false;
  #wake: () => void = () => undefined;

  private constructor(call: ClientRequest, answer: IncomingMessage) {
    this.#request = call;
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      const blocks = `${this.#rest}${text}`.split('\n\n');
      this.#rest = blocks.pop() ?? '';
      this.#blocks.push(...blocks.map(blockOf));
      this.#wake();
    });
    const end = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    answer.on('close', end);
    answer.on('error', end);
  }

  /** Opens one. @returns the status instead where it is none of a stream. */
  static open(url: string, headers: Readonly<Record<string, string>>): Promise<StreamReader | number> {
    return new Promise((resolve, reject) => {
      const call = request(url, { headers }, (answer) => {
        if (answer.statusCode === 200) resolve(new StreamReader(call, answer));
        else resolve(answer.resume().statusCode ?? 0);
      });
      call.on('error', reject);
      call.end();
    });
  }

  /** The next block, as soon as it is there; null = the stream has ended. */
  async next(): Promise<Block | null> {
    while (this.#blocks.length === 0) {
      if (this.#isOver) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#blocks.shift() ?? null;
  }

  /** The next block of an event; null = the stream has ended. */
  async nextOf(...events: readonly string[]): Promise<Block | null> {
    for (;;) {
      const block = await this.next();
      if (block === null || events.includes(block.event)) return block;
    }
  }

  /** Cuts the connection. */
  cut(): void {
    this.#request.on('error', () => undefined);
    this.#request.destroy();
  }
}
