/** A process that keeps the machine awake by what PATH offers, and waits to be killed. */
import { stayAwakeOf } from '../../server/stay-awake.ts';

stayAwakeOf('linux', { PATH: process.env['PATH'] ?? '' })!(() => process.exit(1));
setInterval(() => undefined, 1000);
