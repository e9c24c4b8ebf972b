import { useEffect, useState } from 'react';
import { follow } from './live.ts';

export function useLiveEvents(url: string): readonly string[] {
  const [events, setEvents] = useState<readonly string[]>([]);
  useEffect(() => {
    const tab = new AbortController();
    const add = (id: string) => setEvents((known) => [...known, id]);
    follow(url, add, console.error, sessionStorage, tab.signal).catch(console.error);
    return () => tab.abort();
  }, [url]);
  return events;
}
