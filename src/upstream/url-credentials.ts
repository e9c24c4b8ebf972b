/** Separates the credentials of a URL from its address, as the value of a Basic authorization header. */
export function takeCredentials(url: string): { readonly address: URL; readonly authorization: string | null } {
  const address = new URL(url);
  const { username, password } = address;
  address.username = '';
  address.password = '';
  const text = `${decoded(username)}:${decoded(password)}`;
  return { address, authorization: username ? `Basic ${Buffer.from(text).toString('base64')}` : null };
}

/** Decodes a credential; one with a bare percent sign is used unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
