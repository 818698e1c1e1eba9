/** Which devices may come in: only the server knows. */
import { ROUTES } from '#shared/protocol/routes.ts';
import { asked } from './asks.ts';
import type { Asked, Commands, DeviceInfo } from './commands.ts';
import type { Http } from './http.ts';

export function deviceCommands(http: Http): Pick<Commands, 'devices' | 'revokeDevice'> {
  return {
    async devices(): Promise<Asked<DeviceInfo[]>> {
      return asked(await http.ask('GET', ROUTES.devices()), (value) => (value as { devices: DeviceInfo[] }).devices);
    },
    async revokeDevice(id: string): Promise<Asked<null>> {
      return asked(await http.ask('DELETE', ROUTES.deviceById(id)), () => null);
    },
  };
}
