/** A response of the sponsor, before it is written to a socket. */
export interface SponsorAnswer {
  readonly status: number;
  readonly body: { readonly text: string } | { readonly json: unknown };
}

export function textAnswer(status: number, text: string): SponsorAnswer {
  return { status, body: { text } };
}

export function jsonAnswer(status: number, json: unknown): SponsorAnswer {
  return { status, body: { json } };
}
