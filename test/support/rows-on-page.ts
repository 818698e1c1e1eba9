/** The rows of a transcript in jsdom, without the virtual list: what a reader is shown of chunks, on the real stores. */
import { createPinia, setActivePinia } from 'pinia';
import { createApp, defineComponent, h, nextTick, type App } from 'vue';
import { createMemoryHistory, createRouter } from 'vue-router';
import { COMMANDS } from '../../app/composables/commands.ts';
import { provideToasts } from '../../app/composables/toasts.ts';
import { provideTranscript } from '../../app/composables/transcript-context.ts';
import PromptRow from '../../app/components/transcript/PromptRow.vue';
import StepRow from '../../app/components/transcript/StepRow.vue';
import { useLinkStore } from '../../app/stores/link.ts';
import { useSessionsStore } from '../../app/stores/sessions.ts';
import { useTranscriptStore } from '../../app/stores/transcript.ts';
import type { Commands } from '../../app/sync/commands.ts';
import { FIRST_VIEW } from '../../app/sync/link-view.ts';
import { commandsOf } from '../gallery/commands.ts';
import { sampleRows } from '../gallery/sessions.ts';
import { SESSION, show, type Shown } from '../gallery/transcript.ts';

export interface RowsOnPage {
  readonly root: HTMLElement;
  readonly store: ReturnType<typeof useTranscriptStore>;
  /** Shows that, and waits until it is on the page. */
  show(shown: Shown): Promise<void>;
  /** Waits for what was asked for and for the page to follow. */
  settle(): Promise<void>;
  end(): void;
}

/** `commands`: those that the test answers itself. */
export function rowsOnPage(commands: Partial<Commands> = {}): RowsOnPage {
  window.matchMedia = (query) => Object.assign(new EventTarget(), { matches: false, media: query }) as MediaQueryList;
  const pinia = createPinia();
  setActivePinia(pinia);
  const sessions = useSessionsStore();
  sessions.put(sampleRows());
  useLinkStore().setLink({ ...FIRST_VIEW, kind: 'live', skew: 0 });
  const store = useTranscriptStore();
  store.sessionId = SESSION;
  const rows = defineComponent(() => {
    provideTranscript();
    return () =>
      h(
        'main',
        store.groups.map((group) => h(group.role === 'user' ? PromptRow : StepRow, { key: group.key, id: group.key })),
      );
  });
  // What a row looks up from above it is provided by a parent, as in the app.
  const shell = defineComponent(() => {
    provideToasts();
    return () => h(rows);
  });
  const root = document.createElement('div');
  document.body.append(root);
  const app: App = createApp(shell);
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/:path(.*)', component: shell }] });
  app
    .use(pinia)
    .use(router)
    .provide(COMMANDS, { ...commandsOf({ path: '/', fill: () => undefined }), ...commands });
  app.mount(root);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 6; turn++) await nextTick();
  };
  return {
    root,
    store,
    async show(shown) {
      show(shown);
      // A log that was written on is the same array.
      store.chunks = [...shown.log.chunks];
      await settle();
    },
    settle,
    end() {
      app.unmount();
      root.remove();
    },
  };
}
