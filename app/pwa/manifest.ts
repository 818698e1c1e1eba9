/** The web app manifest. Fetched without cookies, so nothing in it may need them. */
import type { ManifestOptions } from 'vite-plugin-pwa';

export const manifest: Partial<ManifestOptions> = {
  id: '/',
  name: 'Cairn',
  short_name: 'Cairn',
  description: 'Agents on a machine of your own. One durable log, on every device.',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: '#f0efeb',
  theme_color: '#f0efeb',
  categories: ['developer', 'productivity'],
  icons: [
    { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: '/icons/maskable-192.png', sizes: '192x192', type: 'image/png', purpose: 'maskable' },
    { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    { src: '/icons/cairn.svg', sizes: 'any', type: 'image/svg+xml' },
    { src: '/icons/cairn-mono.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'monochrome' },
  ],
  shortcuts: [{ name: 'New session', url: '/new', icons: [{ src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' }] }],
};
