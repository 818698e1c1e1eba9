/** The rules of the inbox, as the store is handed them. */
import type { Decisions } from '../store/decisions.ts';
import { decideAdmit } from './admit.ts';
import { decideCancel, decideEdit } from './edit.ts';
import { choosePromotions } from './promote.ts';

export const decisions: Decisions = { decideAdmit, decideEdit, decideCancel, choosePromotions };
