import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';
import { scalars } from 'ledger-gateway/client/schema';

export default {
  schema: [
    {
      // Introspection shows `oneOf` only on request. With it, the types enforce that a filter has exactly one member.
      [process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql']: { oneOf: true, inputValueDeprecation: true },
    },
  ],
  emitLegacyCommonJSImports: false,
  config: { enumsAsTypes: true, useTypeImports: true, strictScalars: true, scalars },
  generates: {
    'generated/schema.graphql': { plugins: ['schema-ast'] },
    // Documents as text, for the gateway's client: the page needs no graphql-js.
    'generated/texts/': {
      preset: 'client',
      documents: 'texts.ts',
      presetConfig: { fragmentMasking: false },
      config: { documentMode: 'string' },
    },
    // Parsed documents, for Apollo Client, urql and graphql-request.
    'generated/documents/': {
      preset: 'client',
      documents: 'operations.ts',
      // Caches need the types of objects, and cannot add them to trusted documents.
      documentTransforms: [addTypenameSelectionDocumentTransform],
      // With the manifest of the documents, for TRUSTED_DOCUMENTS_FILE.
      presetConfig: { fragmentMasking: false, persistedDocuments: true },
    },
  },
};
