/** May text be a signed token? Three parts of base64url, together no longer than what any issuer makes. */
export function looksLikeToken(text: string): boolean {
  return text.length <= 8_192 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}
