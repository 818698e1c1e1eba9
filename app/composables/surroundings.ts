/**
 * Where this page runs, as far as that changes what can be promised: by what the browser can do, and by its name only for what
 * it keeps to itself. What it knows is handed in by `main.ts`.
 */
import { inject, type InjectionKey } from 'vue';

export interface BrowserFacts {
  agent: string;
  touchPoints: number;
  /** HTTPS, or the machine's own address: elsewhere there is no worker, no locks and no lasting storage. */
  secure: boolean;
  /** In a window of its own: installed, or on the home screen. */
  standalone: boolean;
}
export interface Surroundings {
  secure: boolean;
  standalone: boolean;
  system: 'ios' | 'macos' | 'other';
  /** What a page keeps is deleted after seven days without a visit: Safari, and every browser of iOS, but nothing on the home screen or in the Dock. */
  forgetful: boolean;
}

export function surroundingsOf({ agent, touchPoints, secure, standalone }: BrowserFacts): Surroundings {
  const mac = agent.includes('Macintosh');
  // An iPad calls itself a Mac, and no Mac has a touch screen.
  const system = /iPhone|iPad|iPod/.test(agent) || (mac && touchPoints > 1) ? 'ios' : mac ? 'macos' : 'other';
  const isSafari = /Version\/[\d.]+.* Safari\//.test(agent) && !/Chrom(e|ium)\/|Edg\/|OPR\/|Firefox\//.test(agent);
  return { secure, standalone, system, forgetful: !standalone && (system === 'ios' || (system === 'macos' && isSafari)) };
}

/** `plain-http`: nothing opens here without a link. `seven-days`: prompts wait in a browser that may delete them. */
export type Hint = 'plain-http' | 'seven-days';

/** The one thing to be told beside the list, where it matters; null: nothing, or it was put away. */
export function hintOf(
  { secure, forgetful }: Surroundings,
  { signedIn, prompts, away }: { signedIn: boolean; prompts: number; away: readonly string[] },
): Hint | null {
  if (!secure && signedIn && !away.includes('plain-http')) return 'plain-http';
  return forgetful && prompts > 0 && !away.includes('seven-days') ? 'seven-days' : null;
}

export const SURROUNDINGS: InjectionKey<Surroundings> = Symbol('surroundings');
export function useSurroundings(): Surroundings {
  const surroundings = inject(SURROUNDINGS);
  if (surroundings === undefined) throw new Error('the surroundings are provided by main.ts');
  return surroundings;
}
