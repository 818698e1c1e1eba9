/** The model behind the live figures: the strict double, told turn by turn what to stream and how fast. */
import { setTimeout as wait } from 'node:timers/promises';
import { doubleModel, startDouble, type Double, type DoubleRequest, type Reply } from '../../wire/double.ts';

export type Answer = (reply: Reply, request: DoubleRequest) => Promise<void>;

export class Model {
  readonly #double: Double;
  #answer: Answer = (reply) => reply.text('ok');

  private constructor(double: Double) {
    this.#double = double;
    double.script = (request, reply) => this.#answer(reply, request);
  }
  static async start(): Promise<Model> {
    return new Model(await startDouble());
  }
  /** What points a server at it. */
  get env(): Record<string, string> {
    return {
      ANTHROPIC_BASE_URL: this.#double.url,
      ANTHROPIC_API_KEY: 'sk-double',
      CAIRN_WIRE: 'anthropic',
      CAIRN_MODEL: doubleModel().id,
    };
  }
  /** From now on requests are answered so. */
  answers(answer: Answer): void {
    this.#answer = answer;
  }
  /** What the server sent that the provider would have refused: then nothing was streamed, and nothing measured. */
  refusals(): string[] {
    return this.#double.log.flatMap((entry) => entry.breaches);
  }
  close(): Promise<void> {
    return this.#double.close();
  }
}

/** Sends text deltas at an even pace into block `at`; `sent` is told of each right before it goes out. */
export async function paced(
  reply: Reply,
  at: number,
  pieces: readonly string[],
  perSecond: number,
  sent: (piece: number) => void = () => {},
): Promise<void> {
  const started = performance.now();
  for (let next = 0; next < pieces.length;) {
    const due = Math.min(pieces.length, Math.floor(((performance.now() - started) * perSecond) / 1_000) + 1);
    for (; next < due; next++) {
      sent(next);
      reply.delta(at, { type: 'text_delta', text: pieces[next]! });
    }
    await wait(1);
  }
}
