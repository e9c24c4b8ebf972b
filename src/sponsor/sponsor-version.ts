/**
 * `<semver>-<build hash>`; builds of a modified tree end in `-dirty`. A pre-release part may hold dashes too, so it matches
 * as little as it can.
 */
const versionForm = /^(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+?)??(?:\+[0-9A-Za-z.-]+)?)-([0-9A-Za-z]+(?:-dirty)?)$/;

export interface SponsorVersionRecord {
  readonly raw: string;
  readonly semver: string | null;
  readonly buildHash: string | null;
}

/** The version text whole and in parts; the parts are `null` when it is not of the form above. */
export function toSponsorVersion(raw: string): SponsorVersionRecord {
  const [, semver, buildHash] = versionForm.exec(raw) ?? [];
  return { raw, semver: semver ?? null, buildHash: buildHash ?? null };
}
