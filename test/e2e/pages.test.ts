import { mkdirSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumMissing, launchChromium } from '../support/chromium.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';

/** `npm run screenshots` keeps the pictures: the one in the README as `docs/graphiql.png`, the others in `test-results`. */
const keepsPictures = process.env.SCREENSHOTS !== undefined;

describe.skipIf(chromiumMissing !== null)(`pages of a fresh gateway ${chromiumMissing ?? ''}`, () => {
  let browser: Browser;
  let gateway: SpawnedGateway;

  beforeAll(async () => {
    browser = await launchChromium();
    gateway = await spawnGateway({});
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.[Symbol.asyncDispose]();
  });

  it.each([360, 1440].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))))(
    'fit a window of $width px in a $colorScheme theme, and weigh less than 1 MB',
    async ({ width, colorScheme }) => {
      const context = await browser.newContext({ viewport: { width, height: width === 360 ? 740 : 900 }, colorScheme });
      const sizes = new Map<string, number>();
      // Workers load some files of the page again, from the browser's cache.
      context.on('response', (response) => {
        const { 'content-encoding': encoding, 'content-length': length } = response.headers();
        if (encoding === 'br') sizes.set(response.url(), Number(length));
      });
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      const keep = async (name: string) => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
        if (!keepsPictures) return;
        const path = `test-results/${name}-${width}-${colorScheme}.png`;
        mkdirSync('test-results', { recursive: true });
        writeFileSync(path === 'test-results/graphiql-1440-light.png' ? 'docs/graphiql.png' : path, picture);
      };
      await page.goto(gateway.url);
      await page.locator('.graphiql-query-editor .view-line').first().waitFor();
      await page.locator('.graphiql-execute-button').click();
      await page.locator('.result-window').getByText('"data"').waitFor();
      await page.locator('.graphiql-footer').getByText('output nodes').waitFor();
      const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      // biome-ignore lint/suspicious/noConsole: the numbers in docs/http.md
      if (keepsPictures) console.log(`${await firstPaintMs(page)} ms to the first paint, ${bytes} bytes`);
      expect(bytes).toBeGreaterThan(500_000);
      expect(bytes).toBeLessThan(1_000_000);
      await keep('graphiql');
      await page.goto(new URL('/', gateway.url).href);
      await page.getByText('Operation limits').waitFor();
      await keep('status');
      await context.close();
    },
  );
});

const firstPaintMs = (page: Page) =>
  page.evaluate(() => Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0));
