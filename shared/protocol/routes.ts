/** Every path of the contract, written once: the client builds from it, the worker's deny list and the tests read it. */
const at = encodeURIComponent;
export const API = '/api';
export const ROUTES = {
  health: () => `${API}/health`,
  sessions: () => `${API}/sessions`,
  session: (id: string) => `${API}/sessions/${at(id)}`,
  timeline: (id: string) => `${API}/sessions/${at(id)}/timeline`,
  chunks: (id: string) => `${API}/sessions/${at(id)}/chunks`,
  log: (id: string) => `${API}/sessions/${at(id)}/log`,
  input: (id: string, inputId: string) => `${API}/sessions/${at(id)}/inputs/${at(inputId)}`,
  interrupt: (id: string) => `${API}/sessions/${at(id)}/interrupt`,
  resume: (id: string) => `${API}/sessions/${at(id)}/resume`,
  approval: (id: string, approvalId: string) => `${API}/sessions/${at(id)}/approvals/${at(approvalId)}`,
  turns: (id: string) => `${API}/sessions/${at(id)}/turns`,
  folders: () => `${API}/folders`,
  device: () => `${API}/device`,
  devices: () => `${API}/devices`,
  deviceById: (id: string) => `${API}/devices/${at(id)}`,
  blob: (sha256: string) => `${API}/blobs/${at(sha256)}`,
  models: () => `${API}/models`,
  settings: () => `${API}/settings`,
  live: () => `${API}/live`,
} as const;
/** First path segments that belong to the server: the worker must let a navigation to them through. */
export const SERVER_PREFIXES = ['/api', '/auth', '/ws', '/healthz', '/export'] as const;
