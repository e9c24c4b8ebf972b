import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../../operation/server-context.ts';

/** An answer that stays as it is says so to caches, and is not sent again to who has it. */
export function useAnswerNotes(): Plugin<ServerContext> {
  return {
    onResponse({ response, serverContext, setResponse, fetchAPI }) {
      const { notes } = serverContext as Partial<ServerContext>;
      const isKnown = notes?.settle(response.status, response.headers.get('content-type'));
      if (isKnown) setResponse(new fetchAPI.Response(null, { status: 304 }));
    },
  };
}
