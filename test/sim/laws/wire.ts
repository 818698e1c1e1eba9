/** Laws 11 and 12, held against every request to the model. */
import { buildWire } from '../../../server/agent/wire.ts';
import type { StepRequest } from '../../../server/agent/port.ts';
import { wireLines, type WireBody } from '../../wire/lines.ts';
import { SOURCE } from '../model.ts';

export class WireLaw {
  /** Lines of the last request, by session. */
  readonly #before = new Map<string, string[]>();
  readonly #fault: (law: string, words: string) => void;
  constructor(fault: (law: string, words: string) => void) {
    this.#fault = fault;
  }
  /** The server is as it once was: its next request goes on from an older one. */
  forget(): void {
    this.#before.clear();
  }
  requested({ records }: StepRequest): void {
    const sessionId = records[0]?.sessionId ?? '';
    const wire = buildWire(records, { profile: 'anthropic', source: SOURCE, thinking: true });
    for (const [at, message] of wire.messages.entries()) {
      const uses = message.content.filter((block) => block.type === 'tool_use').map((block) => block['id']);
      const next = wire.messages[at + 1]?.content ?? [];
      const results = next.slice(0, uses.length).map((block) => block['tool_use_id'] ?? null);
      if (JSON.stringify(results) !== JSON.stringify(uses))
        this.#fault('law-12', `of ${sessionId} the calls ${uses.join(' ')} have the results ${results.join(' ')}`);
    }
    const { system, tools, messages } = wire;
    const lines = wireLines({ system, tools, messages } as WireBody);
    const before = this.#before.get(sessionId) ?? [];
    const other = before.findIndex((line, at) => lines[at] !== line);
    if (other >= 0) this.#fault('law-11', `line ${other} of the request of ${sessionId} was ${before[other]} and is ${lines[other]}`);
    this.#before.set(sessionId, lines);
  }
}
