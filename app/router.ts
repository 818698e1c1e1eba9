/** The app's addresses. Every one of them opens from the worker, offline too. */
import { createRouter, createWebHistory, type Router } from 'vue-router';
import HomeView from './views/HomeView.vue';

/** Only the list and the first screen come before first paint; a session's view, with its Markdown and cleaner, right after. */
export function createAppRouter(): Router {
  return createRouter({
    history: createWebHistory(),
    routes: [
      { path: '/', name: 'home', component: HomeView },
      { path: '/s/:session/:seq(\\d+)?', name: 'session', component: () => import('./views/SessionView.vue') },
      { path: '/new', name: 'new', component: () => import('./views/NewView.vue') },
      { path: '/settings', name: 'settings', component: () => import('./views/SettingsView.vue') },
      // An address of a newer version, or a mistyped one: the list is always a place to go on from.
      { path: '/:rest(.*)*', redirect: '/' },
    ],
  });
}
