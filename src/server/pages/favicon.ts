const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2456c9"/><path d="M8 9h6m4 7h6M8 23h6M8 9v14m6-14 4 7-4 7" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** The icon of the gateway's pages, in the page itself: the pages load no images. */
export const faviconLink = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawing)}">`;
