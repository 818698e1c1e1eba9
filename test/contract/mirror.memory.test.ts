import { memoryMirror } from '../../app/mirror/memory.ts';
import { mirrorContract } from './mirror.ts';

mirrorContract(() => memoryMirror());
