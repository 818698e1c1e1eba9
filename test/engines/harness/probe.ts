/** What an engine has of the things that Cairn asks for before it uses them, or goes without. Asked in the app's own page. */
import type { Engine } from './engine.ts';

interface Has {
  serviceWorker: boolean;
  backgroundSync: boolean;
  push: boolean;
  webLocks: boolean;
  broadcastChannel: boolean;
  /** A transaction takes `durability: 'strict'`, and says so. */
  strictDurability: boolean;
  relaxedDurability: boolean;
  storagePersist: boolean;
  storageEstimate: boolean;
  idleCallback: boolean;
  scrollEnd: boolean;
  fieldSizing: boolean;
  popover: boolean;
  lightDark: boolean;
  contentVisibility: boolean;
  visualViewport: boolean;
  installPrompt: boolean;
  /** The page is told when it is frozen and when it thaws. */
  pageLifecycle: boolean;
  clipboard: boolean;
}

/** The names of what is not there. */
export async function lacking(engine: Engine): Promise<(keyof Has)[]> {
  const has = await engine.run(probe);
  return (Object.keys(has) as (keyof Has)[]).filter((name) => !has[name]);
}

async function probe(): Promise<Has> {
  const registration = await navigator.serviceWorker.ready;
  const database = await new Promise<IDBDatabase>((done, fail) => {
    const request = indexedDB.open('probe');
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore('rows'));
    request.addEventListener('success', () => done(request.result));
    request.addEventListener('error', () => fail(request.error));
  });
  const durable = (durability: IDBTransactionDurability): boolean =>
    database.transaction('rows', 'readwrite', { durability }).durability === durability;
  const [strictDurability, relaxedDurability] = [durable('strict'), durable('relaxed')];
  database.close();
  indexedDB.deleteDatabase('probe');
  return {
    serviceWorker: registration.active !== null,
    backgroundSync: 'sync' in registration,
    push: 'pushManager' in registration,
    webLocks: 'locks' in navigator,
    broadcastChannel: 'BroadcastChannel' in window,
    strictDurability,
    relaxedDurability,
    storagePersist: 'storage' in navigator && 'persist' in navigator.storage,
    storageEstimate: 'storage' in navigator && 'estimate' in navigator.storage,
    idleCallback: 'requestIdleCallback' in window,
    scrollEnd: 'onscrollend' in window,
    fieldSizing: CSS.supports('field-sizing', 'content'),
    popover: 'popover' in document.body,
    lightDark: CSS.supports('color', 'light-dark(red, blue)'),
    contentVisibility: CSS.supports('content-visibility', 'auto'),
    visualViewport: window.visualViewport !== null,
    installPrompt: 'onbeforeinstallprompt' in window,
    pageLifecycle: 'onfreeze' in document,
    clipboard: 'clipboard' in navigator && 'writeText' in navigator.clipboard,
  };
}
