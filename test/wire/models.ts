/** Models as `GET /v1/models` describes them, with what a test may want to vary. */
type Support = { supported: boolean };
export interface DoubleModel {
  type: 'model';
  id: string;
  display_name: string;
  created_at: string;
  max_input_tokens: number | null;
  max_tokens: number | null;
  capabilities: null | {
    thinking: { supported: boolean; types: { adaptive: Support; enabled: Support; disabled: Support; between_tools: Support } };
    effort: { supported: boolean; low: Support; medium: Support; high: Support; xhigh: Support | null; max: Support };
  };
}

const yes = { supported: true };
const no = { supported: false };

/** A model that thinks as asked: `adaptive` (and takes efforts), `enabled` (a budget only), `none`, or says nothing (`unknown`). */
export function doubleModel(thinking: 'adaptive' | 'enabled' | 'none' | 'unknown' = 'adaptive', id = 'claude-double-1'): DoubleModel {
  return {
    type: 'model',
    id,
    display_name: `Double (${thinking})`,
    created_at: '2026-01-01T00:00:00Z',
    max_input_tokens: 200_000,
    max_tokens: 32_000,
    capabilities:
      thinking === 'unknown'
        ? null
        : {
            thinking: {
              supported: thinking !== 'none',
              types: {
                adaptive: thinking === 'adaptive' ? yes : no,
                enabled: thinking === 'enabled' ? yes : no,
                disabled: yes,
                between_tools: no,
              },
            },
            effort: { supported: thinking === 'adaptive', low: yes, medium: yes, high: yes, xhigh: null, max: no },
          },
  };
}
