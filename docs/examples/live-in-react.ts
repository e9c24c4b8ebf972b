import { useEffect, useState } from 'react';
import { follow } from './live.ts';

export function useLiveEvents(url: string): readonly string[] {
  const [events, setEvents] = useState<readonly string[]>([]);
  useEffect(() => {
    const tab = new AbortController();
    void follow(url, (id) => setEvents((known) => [...known, id]), console.error, tab.signal);
    return () => tab.abort();
  }, [url]);
  return events;
}
