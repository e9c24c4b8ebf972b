import { hash } from 'node:crypto';
import type { GraphQLError } from 'graphql';
import { type TrustedDocument, toBareId } from '../config/document-manifest.ts';
import { gatewayError } from '../errors/gateway-error.ts';

/** The part of a request that names its document. */
export interface RequestedDocument {
  /** Empty if the request has only an id. */
  readonly query: string;
  /** `null` if the request has only a text. */
  readonly documentId: string | null;
}

export interface TrustedDocumentsOptions {
  /** `null`: there is no manifest. */
  readonly documents: readonly TrustedDocument[] | null;
  /** Memory for documents that clients register by their hash, shared between callers; `null`: they may not. */
  readonly automatic: DocumentRoom | null;
}

/** Drops texts of the caller that uses most when the memory is full. */
interface DocumentRoom {
  enter(caller: string, drop: () => void): { hold(bytes: number): void };
}

/** Bytes of texts that clients registered. */
export const maxRegisteredBytes = 8 * 1024 * 1024;
/** Entries of short texts take more than their text. */
const bytesPerEntry = 512;

export type TrustedDocuments = ReturnType<typeof createTrustedDocuments>;

/** Finds documents by id: those of the manifest, and with automatic persisted queries those that clients registered. */
export function createTrustedDocuments({ documents: first, automatic }: TrustedDocumentsOptions) {
  let documents = first ?? [];
  let { texts, ids } = index(documents);
  const registered = automatic && new Map<string, string>();
  const isOff = first === null && !registered;

  return {
    get documents(): readonly TrustedDocument[] {
      return documents;
    },
    has: (text: string): boolean => texts.has(text),
    /** The text of the requested document, or why there is none. A text beside a hash decides alone. */
    resolve({ query, documentId }: RequestedDocument): string | GraphQLError {
      if (documentId === null) return query;
      if (query !== '') return registered && !isHashOf(documentId, query) ? wrongHash() : query;
      return ids.get(documentId) ?? registered?.get(toBareId(documentId)) ?? notFound(isOff);
    },
    /** Keeps the text of a valid document that was sent with its hash. */
    register({ query, documentId }: RequestedDocument, caller: string): void {
      if (!registered || documentId === null || query === '') return;
      const id = toBareId(documentId);
      if (registered.has(id)) return;
      registered.set(id, query);
      automatic?.enter(caller, () => registered.delete(id)).hold(query.length * 2 + bytesPerEntry);
    },
    replace(list: readonly TrustedDocument[]): void {
      documents = list;
      ({ texts, ids } = index(list));
    },
  };
}

/** A hash is found with and without its prefix: clients of Apollo send it without. */
function index(documents: readonly TrustedDocument[]) {
  const texts = new Set<string>();
  const ids = new Map<string, string>();
  for (const { id, text } of documents) {
    texts.add(text);
    ids.set(id, text);
    const bare = toBareId(id);
    if (bare !== id) ids.set(bare, text);
    else if (isHashOf(id, text)) ids.set(`sha256:${id}`, text);
  }
  return { texts, ids };
}

function isHashOf(id: string, text: string): boolean {
  return toBareId(id) === hash('sha256', text);
}

/** Apollo's clients know the messages, and then send the text as well, or no more hashes. */
function notFound(isOff: boolean): GraphQLError {
  return isOff
    ? gatewayError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported')
    : gatewayError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
}

function wrongHash(): GraphQLError {
  return gatewayError('BAD_REQUEST', 'The hash in extensions.persistedQuery is not the SHA-256 of the query.');
}
