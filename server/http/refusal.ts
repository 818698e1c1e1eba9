/** How a failure is said over HTTP: always Cairn's envelope; a fault of ours is reported and told without its insides. */
import type { Report } from '#shared/ports.ts';
import { CodedError } from '#shared/protocol/errors.ts';

export interface Refusal {
  status: number;
  headers: Record<string, string>;
  json: unknown;
}

/** `where`: for the report, e.g. `PUT /sessions/:id`. */
export function refusalOf(error: unknown, report: Report, where: string): Refusal {
  const coded = codedOf(error, report, where);
  const headers: Record<string, string> = {};
  if (coded.code === 'slow-down' && isWait(coded.details)) headers['Retry-After'] = String(Math.ceil(coded.details.retryAfter / 1000));
  return { status: coded.status, headers, json: coded.toBody() };
}

/** `details` of a `slow-down`: milliseconds to wait. */
export interface Wait {
  retryAfter: number;
}
function isWait(details: unknown): details is Wait {
  return typeof details === 'object' && details !== null && typeof (details as Partial<Wait>).retryAfter === 'number';
}

function codedOf(error: unknown, report: Report, where: string): CodedError {
  if (error instanceof CodedError) return error;
  // Express could not decode a path parameter.
  if (error instanceof URIError) return new CodedError('bad-request', 'The path is not well-formed.');
  report('http-fault', { where, error });
  return new CodedError('internal', 'Something went wrong on the server. It is in its log.');
}
