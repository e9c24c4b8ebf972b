import type { Client } from 'ledger-gateway/client';
import { useEffect, useState } from 'react';
import { follow } from './live.ts';

export function useLiveEvents(client: Client): readonly string[] {
  const [events, setEvents] = useState<readonly string[]>([]);
  useEffect(() => {
    const tab = new AbortController();
    const add = (id: string) => setEvents((known) => [...known, id]);
    follow(client, add, console.error, sessionStorage, tab.signal).catch(console.error);
    return () => tab.abort();
  }, [client]);
  return events;
}
