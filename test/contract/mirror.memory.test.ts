import { memoryMirror } from '../../app/mirror/memory.ts';
import { mirrorContract } from './mirror.ts';
import { mirrorKeepsContract } from './mirror-keeps.ts';

const open = () => memoryMirror();
mirrorContract(open);
mirrorKeepsContract(open);
