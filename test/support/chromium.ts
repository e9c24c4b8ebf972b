import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** Why browser tests cannot run here, or `null`. In CI, a missing browser is a failure, never a skip. */
export const chromiumMissing: string | null =
  executablePath || process.env.CI ? null : 'Chromium is not installed: apt-get install chromium';

/** A real browser that connects only to the pages that a test opens. */
export function launchChromium(): Promise<Browser> {
  if (!executablePath) throw new Error('Chromium is not installed: apt-get install chromium');
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
