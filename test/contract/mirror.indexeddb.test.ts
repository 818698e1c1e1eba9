import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { diskMirror } from '../../app/mirror/indexeddb.ts';
import { realTimers } from '../support/device/device.ts';
import { mirrorContract } from './mirror.ts';
import { mirrorKeepsContract } from './mirror-keeps.ts';

const open = () => diskMirror('mirror', { indexedDB: new IDBFactory(), IDBKeyRange, timers: realTimers });
mirrorContract(open);
mirrorKeepsContract(open);
