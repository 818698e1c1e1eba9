import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { dexieMirror } from '../../app/mirror/dexie.ts';
import { realTimers } from '../support/device/device.ts';
import { mirrorContract } from './mirror.ts';
import { mirrorKeepsContract } from './mirror-keeps.ts';

const open = () => dexieMirror('mirror', { indexedDB: new IDBFactory(), IDBKeyRange, timers: realTimers });
mirrorContract(open);
mirrorKeepsContract(open);
