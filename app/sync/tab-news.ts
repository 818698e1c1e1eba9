/** What other tabs of this device tell, and what follows from it here. */
import type { Report } from '#shared/ports.ts';
import type { Channel, TabNews } from './ports.ts';

export interface TabNewsParts {
  channel: Channel | null;
  report: Report;
  /** Rows of the outbox changed. */
  own(): Promise<void>;
  /** The mirror has more of this session. */
  applied(sessionId: string): Promise<void>;
  draft(sessionId: string, text: string): void;
  signedIn(): void;
  wiped(): Promise<void>;
}

export function heedTabs(parts: TabNewsParts): void {
  const heed = async (news: TabNews): Promise<void> => {
    switch (news.type) {
      case 'own':
        return parts.own();
      case 'applied':
        return parts.applied(news.sessionId);
      case 'draft':
        return parts.draft(news.sessionId, news.text);
      case 'signed-in':
        return parts.signedIn();
      case 'wiped':
        return parts.wiped();
    }
  };
  parts.channel?.listen((news) => void heed(news).catch((error: unknown) => parts.report('engine.news', { error })));
}
