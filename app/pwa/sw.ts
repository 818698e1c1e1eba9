/** The service worker: its routes are in this file and nowhere else. */
self.addEventListener("install", () => {});
