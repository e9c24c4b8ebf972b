import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumMissing, launchChromium } from '../support/chromium.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

describe.skipIf(chromiumMissing !== null)(`GraphiQL in a real browser ${chromiumMissing ?? ''}`, () => {
  let browser: Browser;
  let gateway: TestGateway;
  let page: Page;
  const foreign: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    gateway = await createTestGateway();
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(gateway.url) && !/^(data|blob):/.test(url)) foreign.push(url);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.setDefaultTimeout(30_000);
    await page.goto(`${gateway.url}/graphql`);
    // GraphiQL opens its tabs before its editor.
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const tab = (name: string) => page.locator('.graphiql-tab-button', { hasText: name });

  const footer = () => page.locator('.graphiql-footer').innerText();

  /** Opens the tab, runs its operation, and returns the response shown. */
  const run = async (name: string): Promise<Record<string, unknown>> => {
    await tab(name).click();
    await expect.poll(() => page.locator('.graphiql-query-editor').innerText()).toContain(name);
    const answered = page.waitForResponse((response) => (response.request().postData() ?? '').includes(name));
    await page.locator('.graphiql-execute-button').click();
    const shown = (await (await answered).json()) as Record<string, unknown>;
    await expect.poll(() => page.locator('.result-window').innerText()).toContain('"data"');
    return shown;
  };

  it('shows live events in the example tab LiveEvents until it is stopped', async () => {
    await tab('LiveEvents').click();
    await expect.poll(() => page.locator('.graphiql-query-editor').innerText()).toContain('LiveEvents');
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(() => page.locator('.result-window').innerText(), { timeout: 15_000 }).toContain('LiveEventItem');
    await expect.poll(footer).toMatch(/^HTTP 200 · \d+ items? · .+ · output nodes \d+ of 100,000/);
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(footer).toBe('Stopped.');
    await expect
      .poll(
        () => gateway.log.filter(({ operations }) => JSON.stringify(operations ?? '').includes('LiveEvents')).length,
      )
      .toBeGreaterThan(0);
  });

  it.each(['Everything', 'LatestTransactions', 'LatestEvents', 'Reserve', 'Sign', 'Execute'])(
    'runs the example tab %s unchanged, after the tabs before it, without an error',
    async (name) => {
      const answer = await run(name);
      expect(answer).not.toHaveProperty('errors');
      const data = Object.values(answer.data as object);
      expect(data.length).toBeGreaterThan(0);
      expect(data).not.toContain(null);
    },
  );

  const openTabs = async () => (await page.locator('.graphiql-tab-button').allInnerTexts()).map((text) => text.trim());
  const active = () => page.locator('.graphiql-tab-active').innerText();
  const names = ['Everything', 'LatestTransactions', 'LatestEvents', 'LiveEvents', 'Reserve', 'Sign', 'Execute'];

  it('is the same after a reload, and when it is opened again', async () => {
    await page.reload();
    await page.locator('.graphiql-execute-button').waitFor();
    await expect.poll(openTabs).toEqual(names);
    await expect.poll(active).toContain('Execute');
    await page.goto(`${gateway.url}/graphql`);
    await page.locator('.graphiql-execute-button').waitFor();
    await expect.poll(openTabs).toEqual(names);
    await expect.poll(active).toContain('Execute');
  });

  it('opens a link to a query in a new tab', async () => {
    await page.goto(`${gateway.url}/graphql?query=${encodeURIComponent('query Linked { chainIdentifier }')}`);
    await page.locator('.graphiql-execute-button').waitFor();
    await expect.poll(openTabs).toEqual([...names, 'Linked']);
    await expect.poll(active).toContain('Linked');
  });

  it('shows documentation of the gateway’s and the ledger’s fields', async () => {
    await page
      .getByRole('button', { name: /documentation explorer/i })
      .first()
      .click();
    await page.getByRole('link', { name: 'Query' }).first().click();
    const docs = page.locator('.graphiql-doc-explorer');
    for (const field of ['chainIdentifier', 'queryEvents', 'sponsor'])
      await expect.poll(() => docs.innerText()).toContain(field);
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  });

  it('shows beneath an answer what it cost, in each tab its own', async () => {
    await run('LatestTransactions');
    await expect.poll(footer).toMatch(/^HTTP 200 · .+ · .+ · .*output nodes \d+ of 100,000 · depth \d+ of 20/);
    const line = await footer();
    await tab('Everything').click();
    await expect.poll(footer).toContain('Press Ctrl+Enter');
    await run('Everything');
    expect(await footer()).not.toBe(line);
    await tab('LatestTransactions').click();
    await expect.poll(footer).toBe(line);
  });

  it('drops an answer that comes after the user opened another tab', async () => {
    await tab('LatestTransactions').click();
    const late = { json: { data: { late: true } } };
    await page.route(
      '**/graphql',
      (route) =>
        tab('Reserve')
          .click()
          .then(() => route.fulfill(late)),
      { times: 1 },
    );
    const sent = page.waitForRequest((request) => (request.postData() ?? '').includes('LatestTransactions'));
    await page.locator('.graphiql-execute-button').click();
    await sent;
    await expect.poll(active).toContain('Reserve');
    await run('Reserve');
    expect(await page.locator('.result-window').innerText()).not.toContain('late');
    await tab('LatestTransactions').click();
    await expect.poll(footer).toBe('Stopped.');
  });

  it('sends the API key of this browser tab, and copies it only when asked to', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'API key' }).click();
    await page.getByRole('textbox', { name: 'API key' }).fill('secret-key');
    await tab('LatestTransactions').click();
    const sent = page.waitForRequest((request) => (request.postData() ?? '').includes('LatestTransactions'));
    await page.route('**/graphql', (route) => route.fulfill({ json: { data: {} } }), { times: 1 });
    await page.locator('.graphiql-execute-button').click();
    expect((await sent).headers()['x-api-key']).toBe('secret-key');
    expect(page.url()).not.toContain('secret-key');
    const copied = async () => {
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const hidden = await copied();
    expect(hidden).toMatch(
      /^curl -sN 'http:.+\/graphql' [\s\S]+"x-api-key: \$X_API_KEY"[\s\S]+query LatestTransactions/,
    );
    expect(hidden).not.toContain('secret-key');
    await page.getByRole('checkbox', { name: /copy as curl/i }).check();
    await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' });
    expect(await copied()).toContain("-H 'x-api-key: secret-key'");
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('secret-key');
    await page.getByRole('textbox', { name: 'API key' }).fill('');
    await page.getByRole('button', { name: 'API key' }).click();
  });

  it('stacks its panes on a phone, and says what to press', { timeout: 60_000 }, async () => {
    const phone = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await phone.goto(`${gateway.url}/graphql`);
    await expect.poll(() => phone.locator('.graphiql-footer').innerText()).toContain('Press Ctrl+Enter');
    await phone.locator('.graphiql-query-editor .view-line').first().waitFor();
    const [editors, response] = await Promise.all(
      ['.graphiql-editors', '.graphiql-response'].map((name) => phone.locator(name).boundingBox()),
    );
    expect(response?.y).toBeGreaterThanOrEqual((editors?.y ?? 0) + (editors?.height ?? 0));
    expect(response?.width).toBeGreaterThan(250);
    await phone.locator('.graphiql-execute-button').click();
    await expect.poll(() => phone.locator('.result-window').innerText(), { timeout: 15_000 }).toContain('"data"');
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await phone.close();
  });

  it('keeps the answered operations in its history', async () => {
    await page
      .getByRole('button', { name: /history/i })
      .first()
      .click();
    await expect.poll(() => page.locator('.graphiql-history').innerText()).toContain('LatestTransactions');
  });

  it('introspects the gateway when the user fetches the schema again', async () => {
    const asked = page.waitForRequest((request) => (request.postData() ?? '').includes('IntrospectionQuery'));
    await page.getByRole('button', { name: /re-fetch/i }).click();
    expect((await asked).url()).toBe(`${gateway.url}/graphql`);
  });

  it('contacts no other host and logs no error', () => {
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('introspects the gateway if the prebuilt schema file is gone', { timeout: 30_000 }, async () => {
    const late = await browser.newPage();
    await late.route('**/graphiql/schema-*.json', (route) => route.fulfill({ status: 404, body: '{}' }));
    const asked = late.waitForResponse((response) =>
      (response.request().postData() ?? '').includes('IntrospectionQuery'),
    );
    await late.goto(`${gateway.url}/graphql`);
    expect(Object.keys((await (await asked).json()) as object)).toEqual(['data']);
    await late.close();
  });
});
