/** The real app over stores that are filled by hand: every state can be looked at without a server. */
import { createPinia, setActivePinia } from 'pinia';
import { createApp, type ComponentPublicInstance } from 'vue';
import App from '../../app/App.vue';
import { COMMANDS } from '../../app/composables/commands.ts';
import { SURROUNDINGS } from '../../app/composables/surroundings.ts';
import { createAppRouter } from '../../app/router.ts';
import { commandsOf } from './commands.ts';
import { drive } from './drive.ts';
import { STATES } from './states.ts';

const pinia = createPinia();
setActivePinia(pinia);
const query = new URLSearchParams(location.search);
const state = STATES[query.get('state') ?? 'list'];
if (state === undefined) throw new Error(`no such state: ${Object.keys(STATES).join(', ')}`);
state.fill();
const theme = query.get('theme');
if (theme !== null) document.documentElement.dataset['theme'] = theme;
createApp(App)
  .mixin({
    updated(this: ComponentPublicInstance) {
      const name = this.$options['__name'] ?? 'other';
      drive.renders[name] = (drive.renders[name] ?? 0) + 1;
    },
  })
  .use(pinia)
  .use(createAppRouter())
  .provide(COMMANDS, commandsOf(state))
  .provide(SURROUNDINGS, { secure: true, standalone: false, system: 'other', forgetful: false, ...state.surroundings })
  .mount('#app');
