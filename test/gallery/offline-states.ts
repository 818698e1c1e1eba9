/** Without a link: an answer that is held here, one that the worker handed over, and folders as they were last seen. */
import { useTranscriptStore } from '../../app/stores/transcript.ts';
import { approvalOf, Log, show } from './transcript.ts';
import { fill, path } from './transcript-states.ts';
import type { GalleryState } from './states.ts';

function decided(heard: boolean): void {
  const log = new Log().prompt('Add the decoder.').text('It needs one package.').call('run', { command: 'npm ci' }, null);
  const approval = approvalOf(log, `call-${log.chunks.length}`, 'run', 'npm ci');
  show({ log, approvals: [approval] });
  useTranscriptStore().decisions = new Map([[approval.id, { decision: 'allow', remember: false, heard }]]);
}

export const OFFLINE_STATES: Record<string, GalleryState> = {
  'decision-held': { path, fill: fill('offline', 1), open: () => decided(false) },
  'decision-heard': { path, fill: fill('offline'), open: () => decided(true) },
  'new-folder-remembered': { path: '/new', fill: fill('offline'), remembersFolders: true },
  'search-offline': { path, fill: fill('offline'), open: () => decided(false), press: ['Search (Ctrl K)'] },
};
