/**
 * Named moments at which the process dies. They are set into the ports that a server stands on, so the product knows nothing
 * of them: before an operation of the store, after its commit and before anybody hears of it, in the middle of its
 * transaction; at a provider's event; in a tool.
 */
import { writeSync } from 'node:fs';
import type { Random } from '#shared/ports.ts';
import type { Ports } from '../../../server/compose.ts';
import type { Agent } from '../../../server/agent/port.ts';
import type { Store } from '../../../server/store/port.ts';
import type { Tool, Toolbox } from '../../../server/tools/port.ts';
import type { Point } from '../kit/points.ts';

/** Told of every moment passed; at the planned one it does not return. */
export type Pass = (point: Point) => void;

/**
 * `plan`, a list with commas: `name#n` dies at the n-th passing of that name and says so on stdout first; `!name#n` only fails
 * there, as a disk does, and says so too. Empty: nothing happens.
 */
export function passing(plan: string): Pass {
  const due = plan.split(',').map((one) => {
    const [point = '', hit = '1'] = one.replace('!', '').split('#');
    return { point, left: Number(hit), fails: one.startsWith('!') };
  });
  return (passed) => {
    const now = due.filter((one) => one.point === passed && --one.left === 0);
    if (now.length === 0) return;
    const fails = now.every((one) => one.fails);
    writeSync(1, `${fails ? 'failed' : 'died'} at ${passed}\n`);
    if (fails) throw new Error(`a fault at ${passed}`);
    die();
  };
}
function die(): void {
  process.kill(process.pid, 'SIGKILL');
  // The signal may be taken by another thread of this process: nothing more may happen on this one.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** What the store is handed: it asks chance for an event's id in the middle of the transaction that appends it. */
export function randomWithPoints(random: Random, pass: Pass): Random {
  return {
    unit: random.unit,
    bytes(n) {
      pass('transaction:within');
      return random.bytes(n);
    },
  };
}

export function withPoints(ports: Ports, pass: Pass): Ports {
  return { store: storeWith(ports.store, pass), agent: agentWith(ports.agent, pass), toolbox: toolboxWith(ports.toolbox, pass) };
}

function storeWith(store: Store, pass: Pass): Store {
  // Before the feed's own listener: committed, and nobody was told.
  store.onCommit(() => pass('commit:told'));
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || typeof name !== 'string' || name === 'onCommit' || name === 'close') return value;
      return async (...given: unknown[]): Promise<unknown> => {
        pass(`${name}:before` as Point);
        const result = await (Reflect.apply(value, target, given) as Promise<unknown>);
        if (didSomething(result)) pass(`${name}:after` as Point);
        return result;
      };
    },
  });
}
/** A turn that did not open, or a boundary where nobody waited, wrote nothing. */
function didSomething(result: unknown): boolean {
  return result !== null && !(Array.isArray(result) && result.length === 0);
}

function agentWith(agent: Agent, pass: Pass): Agent {
  const attempt: Agent['attempt'] = async (request, signal, emit) => {
    pass('attempt:begin');
    try {
      const answer = await agent.attempt(request, signal, (event) => {
        emit(event);
        pass('attempt:event');
        if (event.type === 'tool-call-args') pass('attempt:args');
      });
      pass('attempt:end');
      return answer;
    } catch (error) {
      pass('attempt:failed');
      throw error;
    }
  };
  return new Proxy(agent, { get: (target, name) => (name === 'attempt' ? attempt : (Reflect.get(target, name, target) as unknown)) });
}

function toolboxWith(toolbox: Toolbox, pass: Pass): Toolbox {
  const tools = toolbox.tools.map((tool): Tool => ({
    ...tool,
    async run(args, context) {
      pass('tool:begin');
      const end = await tool.run(args, {
        ...context,
        output(stream, text) {
          context.output(stream, text);
          pass('tool:output');
        },
      });
      pass('tool:end');
      return end;
    },
  }));
  return { ...toolbox, tools, find: (name) => tools.find((tool) => tool.name === name) };
}
