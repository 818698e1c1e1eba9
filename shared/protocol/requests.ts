/**
 * Bodies, queries and up frames as they must be, checked at the server's edge. Every object is strict: an unknown key
 * is a 400, so a client learns of a misspelt field instead of losing it. Strings are made well-formed here (a lone
 * surrogate can be stored but not sent to a provider), and NUL is refused.
 */
import * as z from 'zod/mini';
import { isUuid7 } from '../ids.ts';
import { LIMITS } from './limits.ts';
import { EFFORTS, MODES } from './records.ts';

const text = (chars: number) =>
  z.pipe(
    z.string().check(
      z.maxLength(chars),
      z.refine((value) => !value.includes('\0'), 'holds a NUL character'),
    ),
    z.transform((value: string) => value.toWellFormed()),
  );
const whole = z.int().check(z.gte(0));
export const Uuid7 = z.string().check(z.refine(isUuid7, 'is not a UUIDv7'));
const delivery = z.enum(['steer', 'queue']);
const mode = z.enum(MODES as ['ask', 'accept-edits', 'plan', 'auto']);
const effort = z.enum(EFFORTS as ['low', 'medium', 'high', 'xhigh', 'max']);
const title = z.pipe(
  text(LIMITS.titleChars),
  z.transform((value: string) => value.trim()),
);
const model = z.pipe(z.string().check(z.minLength(1)), text(LIMITS.modelChars));

const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: text(LIMITS.inputTextBytes) }),
  z.strictObject({
    type: z.literal('attachment'),
    sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    name: text(LIMITS.attachmentNameChars),
    mime: text(127),
  }),
]);
const content = z.array(part).check(
  z.minLength(1),
  z.maxLength(LIMITS.inputParts),
  z.refine((parts) => parts.some((p) => p.type === 'attachment' || p.text.trim() !== ''), 'has no words and no attachment'),
);

/** `seq`: the last record of that session that is copied, at which none of its turns is open; 0 copies nothing. */
const origin = z.strictObject({ sessionId: Uuid7, seq: whole });
export const CreateSession = z.strictObject({
  workspace: z.pipe(z.string().check(z.minLength(1)), text(LIMITS.pathChars)),
  title: z.optional(title),
  model: z.optional(z.nullable(model)),
  effort: z.optional(z.nullable(effort)),
  mode: z.optional(mode),
  origin: z.optional(origin),
});
const command = { commandId: z.optional(Uuid7), baseRev: z.optional(whole) };
export const PatchSession = z.strictObject({
  title: z.optional(title),
  model: z.optional(z.nullable(model)),
  effort: z.optional(z.nullable(effort)),
  mode: z.optional(mode),
  pinned: z.optional(z.boolean()),
  archived: z.optional(z.boolean()),
  ...command,
});
export const PutInput = z.strictObject({
  content,
  delivery,
  composedAt: z.optional(whole),
  seenSeq: z.optional(whole),
  aimedTurnId: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  resume: z.optional(z.boolean()),
});
export const PatchInput = z.strictObject({
  content: z.optional(content),
  delivery: z.optional(delivery),
  after: z.optional(z.nullable(Uuid7)),
  ...command,
});
export const DeleteBody = z.strictObject({ commandId: z.optional(Uuid7) });
export const Interrupt = z.strictObject({ turnId: z.optional(z.string().check(z.maxLength(64))), commandId: z.optional(Uuid7) });
export const Resume = z.strictObject({ pausedSeq: z.optional(whole), commandId: z.optional(Uuid7) });
export const DecideApproval = z.strictObject({
  decision: z.enum(['allow', 'deny']),
  remember: z.optional(z.boolean()),
  commandId: z.optional(Uuid7),
});
export const SignIn = z.strictObject({ token: z.string().check(z.minLength(1), z.maxLength(512)), name: z.optional(text(120)) });
export const PatchSettings = z.strictObject({
  model: z.optional(z.nullable(model)),
  mode: z.optional(mode),
  stepLimit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  keepAwake: z.optional(z.boolean()),
  commandId: z.optional(Uuid7),
});

const upFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello'), protocol: z.int(), device: z.optional(z.nullable(z.string().check(z.maxLength(64)))) }),
  z.strictObject({
    type: z.literal('subscribe'),
    sessionId: Uuid7,
    epoch: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
    after: whole,
    lastId: z.optional(z.nullable(z.string().check(z.maxLength(128)))),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), sessionId: Uuid7 }),
  z.strictObject({ type: z.literal('ping') }),
]);
export const UpFrameSchema = upFrame;

export type CreateSessionBody = z.infer<typeof CreateSession>;
export type PatchSessionBody = z.infer<typeof PatchSession>;
export type PutInputBody = z.infer<typeof PutInput>;
export type PatchInputBody = z.infer<typeof PatchInput>;
export type DecideApprovalBody = z.infer<typeof DecideApproval>;
export type SettingsPatch = Omit<z.infer<typeof PatchSettings>, 'commandId'>;
/** Server settings as `GET /settings` answers them. */
export interface Settings {
  model: string | null;
  mode: 'ask' | 'accept-edits' | 'plan' | 'auto';
  /** Steps of one turn before it ends by itself. */
  stepLimit: number;
  /** The machine is kept from going to sleep while a turn runs, where its system offers it. */
  keepAwake: boolean;
}
