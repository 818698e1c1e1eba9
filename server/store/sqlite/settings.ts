/** Server settings: what nobody has set has its default. */
import { MODES } from '#shared/protocol/records.ts';
import type { Settings, SettingsPatch } from '#shared/protocol/requests.ts';
import type { Command } from '../port.ts';
import type { Core } from './core.ts';
import { once } from './core.ts';
import { parsed } from './damage.ts';

const DEFAULTS: Settings = { model: null, mode: 'ask', stepLimit: 100, keepAwake: true };

export function settings(core: Core): Settings {
  const kept = new Map(core.sql.settings().map(({ key, value }) => [key, parsed(value)]));
  for (const [key, value] of kept) if (value === undefined) core.damaged('unreadable-setting', { key });
  const model = kept.get('model');
  const stepLimit = kept.get('stepLimit');
  const keepAwake = kept.get('keepAwake');
  return {
    model: typeof model === 'string' ? model : DEFAULTS.model,
    mode: MODES.find((mode) => mode === kept.get('mode')) ?? DEFAULTS.mode,
    stepLimit: typeof stepLimit === 'number' ? stepLimit : DEFAULTS.stepLimit,
    keepAwake: typeof keepAwake === 'boolean' ? keepAwake : DEFAULTS.keepAwake,
  };
}

export function changeSettings(core: Core, patch: SettingsPatch, command: Command): Settings {
  return once(core, command, 'change-settings', null, () => {
    for (const [key, value] of Object.entries(patch)) {
      if (value !== undefined) core.sql.putSetting(key, JSON.stringify(value));
    }
    return settings(core);
  });
}
